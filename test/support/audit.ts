import { expect } from 'vitest';
import { AUDIT_CREDITS, type Deviation } from '../../src/credits/credit-audit.js';

/** A DataSource or a client of pg. */
interface Connection {
  query(statement: string, parameters: unknown[]): Promise<unknown>;
}

/** Runs the full audit of the credits for one tenant, or for all tenants if `tenantId` is null. */
export async function auditCredits(connection: Connection, tenantId: string | null = null): Promise<Deviation[]> {
  const answer = await connection.query(AUDIT_CREDITS, [tenantId, '-infinity']);
  return Array.isArray(answer) ? (answer as Deviation[]) : (answer as { rows: Deviation[] }).rows;
}

/** Asserts that the audit of the credits finds no deviation (docs/rules.md#credits). */
export async function expectConsistentCredits(connection: Connection, tenantId: string | null = null): Promise<void> {
  expect(await auditCredits(connection, tenantId)).toEqual([]);
}
