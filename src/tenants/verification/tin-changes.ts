import type { EntityManager } from 'typeorm';
import { DashboardError } from '../../errors/dashboard-errors.js';

/** Each TIN costs a login from the shared budget and an operator's time. */
const TIN_CHANGES_PER_DAY_MAX = 3;

// Audit ids are ordered by time.
const FIND_NEXT_CHANGE = /* sql */ `
  SELECT at + interval '1 day' AS possible_at,
         ceil(extract(epoch FROM at + interval '1 day' - service_now()))::integer AS wait_seconds
    FROM audit_entry
   WHERE tenant_id = $1 AND action = 'organisation.profile_changed' AND details #>> '{changes,tin,from}' IS NOT NULL
     AND at > service_now() - interval '1 day'
   ORDER BY id DESC OFFSET ${TIN_CHANGES_PER_DAY_MAX - 1} LIMIT 1`;

interface NextChange {
  readonly possible_at: Date;
  readonly wait_seconds: number;
}

/** The caller must have locked the tenant. @throws DashboardError (429) with the time of the next possible change */
export async function assertTinMayChange(tx: EntityManager, tenantId: string): Promise<void> {
  const [next] = await tx.query<NextChange[]>(FIND_NEXT_CHANGE, [tenantId]);
  if (next === undefined) return;
  const possibleAt = next.possible_at.toISOString();
  throw new DashboardError('tin_changes_used_up', {
    message: `The TIN can be changed ${TIN_CHANGES_PER_DAY_MAX} times a day: change it again after ${possibleAt}, or save the other fields without it`,
    facts: { possibleAt },
    headers: { 'Retry-After': String(next.wait_seconds) },
  });
}
