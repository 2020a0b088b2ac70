import type { EntityManager } from 'typeorm';
import type { Taxpayer } from '../../authority/tokens.js';
import type { Environment } from '../../config/environment.js';
import { CLIENT_REFUSED } from '../queue/tenant-queues.js';

// Those that logged in within a day, and those that tried and wait; first who was not tried yet.
const FIND = /* sql */ `
  SELECT tenant_id AS "tenantId", on_behalf_of AS "onBehalfOf"
    FROM (SELECT t.tenant_id, t.on_behalf_of,
                 coalesce(bool_or(t.logged_in_at > service_now() - interval '24 hours'), false) AS is_recent
            FROM authority_token t WHERE t.environment = $1 GROUP BY t.tenant_id, t.on_behalf_of) known
   WHERE is_recent
      OR EXISTS (SELECT FROM tenant_queue l
                  WHERE l.tenant_id = known.tenant_id AND l.environment = $1 AND l.operation = 'submit'
                    AND l.blocked_reason = '${CLIENT_REFUSED.reason}')
   ORDER BY tenant_id || ' ' || on_behalf_of = ANY ($3::text[]), is_recent <> $2, tenant_id, on_behalf_of LIMIT 1`;

/** Whom a login that probes is made for; null when nobody waits and nobody was let in lately. */
export async function findLoginProbe(
  tx: EntityManager,
  round: { environment: Environment; wantsRecent: boolean; tried: ReadonlySet<string> },
): Promise<Taxpayer | null> {
  const parameters = [round.environment, round.wantsRecent, [...round.tried]];
  const [taxpayer = null] = await tx.query<Taxpayer[]>(FIND, parameters);
  return taxpayer;
}

/** As `tried` holds it. */
export function formatTaxpayer({ tenantId, onBehalfOf }: Taxpayer): string {
  return `${tenantId} ${onBehalfOf}`;
}
