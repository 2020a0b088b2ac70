import type { EntityManager } from 'typeorm';
import { buildWaitsForRecoverySql, IS_FOUND_AT_AUTHORITY } from './waits.sql.js';

/** What waits for a recovery after a restore (docs/restore.md). */
export interface RecoveryWaits {
  /** Of the recovery that is open; null: none is. */
  readonly openSince: Date | null;
  /** Tenants that wait for it. */
  readonly waitingTenants: number;
  /** Tenants with queued documents whose number the authority has already, until a search or a decision. */
  readonly searchTenants: readonly string[];
}

// Joins the found documents, because a search of all queued documents would take long.
const WAITS = /* sql */ `
  SELECT (SELECT began_at FROM recovery WHERE ended_at IS NULL) AS "openSince",
         (SELECT count(*)::integer FROM tenant t WHERE ${buildWaitsForRecoverySql('t.tenant_id')}) AS "waitingTenants",
         ARRAY(SELECT DISTINCT t.tenant_id FROM found_document f
                 JOIN document_transaction t ON t.reference_id = f.reference_id AND t.environment = f.environment
                WHERE t.submission_status = 'Queued' AND t.held_until IS NULL AND ${IS_FOUND_AT_AUTHORITY}
                ORDER BY t.tenant_id LIMIT 100) AS "searchTenants"`;

/** Over all tenants; as the owner. */
export async function readRecoveryWaits(manager: EntityManager): Promise<RecoveryWaits> {
  const [waits] = await manager.query<[RecoveryWaits]>(WAITS);
  return waits;
}
