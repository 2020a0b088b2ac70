import type { EntityManager } from 'typeorm';
import type { Environment } from '../../config/environment.js';

const WAITING_SECONDS_MIN = 60;

// A dispatcher configured for the environment would have served the tenant queue by now.
const MARK = /* sql */ `
  WITH locked AS MATERIALIZED (
    SELECT q.tenant_id, q.environment,
           q.environment <> ALL ($1::text[])
             AND (q.waiting_until IS NULL OR q.waiting_until <= service_now())
             AND q.served_at <= service_now() - interval '${WAITING_SECONDS_MIN} seconds'
             AND EXISTS (
                   SELECT FROM document_transaction t
                    WHERE t.tenant_id = q.tenant_id AND t.environment = q.environment
                      AND t.submission_status = 'Queued' AND t.held_until IS NULL
                      AND t.due_at <= service_now() - interval '${WAITING_SECONDS_MIN} seconds') AS is_unconfigured
      FROM tenant_queue q
     WHERE q.operation = 'submit' AND (q.environment <> ALL ($1::text[]) OR q.unconfigured_since IS NOT NULL)
     ORDER BY q.tenant_id, q.environment FOR UPDATE OF q SKIP LOCKED),
  marked AS (
    UPDATE tenant_queue q
       SET unconfigured_since = CASE WHEN k.is_unconfigured THEN coalesce(q.unconfigured_since, service_now()) END
      FROM locked k
     WHERE q.tenant_id = k.tenant_id AND q.environment = k.environment AND q.operation = 'submit'
       AND (q.unconfigured_since IS NOT NULL) <> k.is_unconfigured)
  SELECT environment, count(*)::integer AS tenants FROM locked WHERE is_unconfigured GROUP BY environment`;

export interface UnconfiguredEnvironment {
  readonly environment: Environment;
  readonly tenants: number;
}

/**
 * Marks tenant queues of environments that no dispatcher serves, so that the status response shows why documents wait.
 */
export function markUnconfigured(
  tx: EntityManager,
  environments: readonly Environment[],
): Promise<UnconfiguredEnvironment[]> {
  return tx.query<UnconfiguredEnvironment[]>(MARK, [environments]);
}
