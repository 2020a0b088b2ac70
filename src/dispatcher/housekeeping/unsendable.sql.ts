import type { EntityManager } from 'typeorm';
import type { Environment } from '../../config/environment.js';
import { PAYLOAD_VERSION } from '../../documents/stored-payload.js';

/** Shorter than this a document may just wait for its turn. */
const WAITING_SECONDS_MIN = 60;
// What a tenant's oldest documents wait for, the others wait for too.
const OLDEST_DOCUMENTS = 200;

// Tenant queues whose oldest documents have waited for a while and were not served meanwhile, though nothing blocks
// them: either the environment's settings are missing here, and for every document, or a later build has accepted some
// of them. Another dispatcher that can send them would have served the tenant queue, or moved the documents.
const MARK = /* sql */ `
  WITH waiting AS MATERIALIZED (
    SELECT l.tenant_id, l.environment, min(t.payload_version) AS version
      FROM dispatch_lane l
     CROSS JOIN LATERAL (
       SELECT payload_version, due_at FROM document_transaction
        WHERE tenant_id = l.tenant_id AND environment = l.environment
          AND submission_status = 'Queued' AND held_until IS NULL
        ORDER BY due_at, id LIMIT ${OLDEST_DOCUMENTS}) t
     WHERE l.operation = 'submit' AND (l.blocked_until IS NULL OR l.blocked_until <= service_now())
       AND t.due_at <= service_now() - interval '${WAITING_SECONDS_MIN} seconds'
       AND (t.payload_version > ${PAYLOAD_VERSION}
            OR (l.environment <> ALL ($1::text[])
                AND l.served_at <= service_now() - interval '${WAITING_SECONDS_MIN} seconds'))
     GROUP BY l.tenant_id, l.environment),
  locked AS MATERIALIZED (
    SELECT l.tenant_id, l.environment, w.version,
           CASE WHEN w.version IS NULL THEN NULL
                WHEN l.environment <> ALL ($1::text[]) THEN 'environment_not_configured'
                ELSE 'newer_build_needed' END AS reason
      FROM dispatch_lane l LEFT JOIN waiting w ON w.tenant_id = l.tenant_id AND w.environment = l.environment
     WHERE l.operation = 'submit' AND (l.unsendable_reason IS NOT NULL OR w.version IS NOT NULL)
     ORDER BY l.tenant_id, l.environment FOR UPDATE OF l SKIP LOCKED),
  marked AS (
    UPDATE dispatch_lane l
       SET unsendable_reason = k.reason, unsendable_version = k.version,
           unsendable_since = CASE WHEN k.reason IS NULL THEN NULL
                                   WHEN l.unsendable_reason = k.reason THEN l.unsendable_since
                                   ELSE service_now() END
      FROM locked k
     WHERE l.tenant_id = k.tenant_id AND l.environment = k.environment AND l.operation = 'submit')
  SELECT environment, reason, count(*)::integer AS tenants FROM locked WHERE reason IS NOT NULL
   GROUP BY environment, reason`;

/** Queued documents that this build or this configuration cannot send. */
export interface Unsendable {
  readonly environment: Environment;
  readonly reason: 'environment_not_configured' | 'newer_build_needed';
  readonly tenants: number;
}

/**
 * Marks the tenant queues whose documents this dispatcher cannot send and no other one does, so that polls say why they
 * wait; takes the mark from the others.
 * @param environments those that this process works for
 */
export function markUnsendable(tx: EntityManager, environments: readonly Environment[]): Promise<Unsendable[]> {
  return tx.query<Unsendable[]>(MARK, [environments]);
}
