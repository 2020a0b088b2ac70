import type { EntityManager } from 'typeorm';

/** What waits for a recovery after a restore (docs/restore.md). */
export interface RecoveryWaits {
  /** Of the recovery that is open; null: none is. */
  readonly openSince: Date | null;
  /** Tenants that wait for it. */
  readonly waitingTenants: number;
  /** Tenants with queued documents whose number the authority has already, until a search or a decision. */
  readonly searchTenants: readonly string[];
}

// Queued documents are read, and only if anything was found.
const WAITS = /* sql */ `
  SELECT (SELECT began_at FROM recovery WHERE ended_at IS NULL) AS "openSince",
         (SELECT count(*)::integer FROM tenant t WHERE EXISTS (
            SELECT FROM recovery r WHERE r.ended_at IS NULL AND NOT EXISTS (
              SELECT FROM recovery_tenant x
               WHERE x.recovery_id = r.id AND x.tenant_id = t.tenant_id AND x.released_at IS NOT NULL))) AS "waitingTenants",
         ARRAY(SELECT DISTINCT t.tenant_id FROM found_document f
                 JOIN document_transaction t
                   ON t.reference_id = f.reference_id AND t.environment = f.environment AND t.submission_status = 'Queued'
                  AND t.held_until IS NULL
                  AND split_part(t.on_behalf_of, ':', 1) = f.supplier_tin
                  AND coalesce(f.document_type, t.document_type) = t.document_type
                WHERE (SELECT EXISTS (SELECT FROM found_document WHERE state IN ('missing', 'disputed')))
                  AND (f.state = 'disputed' OR (f.state = 'missing'
                       AND (f.authority_status IS NULL OR f.authority_status NOT IN ('Invalid', 'Cancelled'))))
                ORDER BY t.tenant_id LIMIT 100) AS "searchTenants"`;

/** Over all tenants; as the owner. */
export async function readRecoveryWaits(manager: EntityManager): Promise<RecoveryWaits> {
  const [waits] = await manager.query<[RecoveryWaits]>(WAITS);
  return waits;
}
