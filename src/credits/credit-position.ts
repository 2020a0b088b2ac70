import type { EntityManager } from 'typeorm';

export interface SpendableLot {
  readonly lotId: string;
  readonly granted: number;
  readonly remaining: number;
  readonly grantedAt: Date;
  readonly expiresAt: Date;
  /** Null means both environments. */
  readonly environment: 'sandbox' | null;
}

const LOTS = /* sql */ `
  SELECT id AS "lotId", granted, remaining, created_at AS "grantedAt", expires_at AS "expiresAt", environment
    FROM credit_lot
   WHERE tenant_id = $1 AND remaining > 0 AND expires_at > service_now()
   ORDER BY environment NULLS LAST, expires_at, id`;

export function listSpendableLots(tx: EntityManager, tenantId: string): Promise<SpendableLot[]> {
  return tx.query<SpendableLot[]>(LOTS, [tenantId]);
}

// Entries are ordered by time, so the search stops at the latest one older than seven days.
const USED_LAST_SEVEN_DAYS = /* sql */ `
  SELECT coalesce(-sum(amount), 0)::integer AS used
    FROM credit_entry
   WHERE tenant_id = $1 AND kind IN ('submit', 'cancel') AND sequence > coalesce((
     SELECT sequence FROM credit_entry
      WHERE tenant_id = $1 AND created_at < service_now() - interval '7 days' ORDER BY sequence DESC LIMIT 1), 0)`;

export async function countUsedLastSevenDays(tx: EntityManager, tenantId: string): Promise<number> {
  const [{ used }] = await tx.query<{ used: number }[]>(USED_LAST_SEVEN_DAYS, [tenantId]);
  return used;
}
