import { expect } from 'vitest';
import { AUDIT_CREDITS, type Deviation } from '../../src/credits/credit-audit.js';

interface Connection {
  query(statement: string, parameters: unknown[]): Promise<unknown>;
}

/** What the audit of the credits finds, in full: of one tenant, or of all. Takes a DataSource or a pg client. */
export async function auditCredits(connection: Connection, tenantId: string | null = null): Promise<Deviation[]> {
  const answer = await connection.query(AUDIT_CREDITS, [tenantId, '-infinity']);
  return Array.isArray(answer) ? (answer as Deviation[]) : (answer as { rows: Deviation[] }).rows;
}

/** The credits agree with themselves and with what they paid for (docs/rules.md#credits). */
export async function expectConsistentCredits(connection: Connection, tenantId: string | null = null): Promise<void> {
  expect(await auditCredits(connection, tenantId)).toEqual([]);
}
