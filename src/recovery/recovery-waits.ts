import type { EntityManager } from 'typeorm';
import { buildWaitsForRecoverySql, IS_FOUND_AT_AUTHORITY } from './waits.sql.js';

/** Tenants that wait after a restore (docs/restore.md). */
export interface RecoveryWaits {
  readonly openSince: Date | null;
  readonly waitingTenants: number;
  /** Tenants with queued documents whose numbers already exist at the authority. */
  readonly searchTenants: readonly string[];
}

// Joins the found documents because reading all queued documents would be slow.
const WAITS = /* sql */ `
  SELECT (SELECT began_at FROM recovery WHERE ended_at IS NULL) AS "openSince",
         (SELECT count(*)::integer FROM tenant t WHERE ${buildWaitsForRecoverySql('t.tenant_id')}) AS "waitingTenants",
         ARRAY(SELECT DISTINCT t.tenant_id FROM found_document f
                 JOIN document_transaction t ON t.reference_id = f.reference_id AND t.environment = f.environment
                WHERE t.submission_status = 'Queued' AND t.held_until IS NULL AND ${IS_FOUND_AT_AUTHORITY}
                ORDER BY t.tenant_id LIMIT 100) AS "searchTenants"`;

export async function readRecoveryWaits(manager: EntityManager): Promise<RecoveryWaits> {
  const [waits] = await manager.query<[RecoveryWaits]>(WAITS);
  return waits;
}
