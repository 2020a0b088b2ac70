import type { EntityManager } from 'typeorm';

/** The database's clock, which every lease, expiry and window is decided by: replicas' own clocks may differ. */
export async function serviceNow(tx: EntityManager): Promise<Date> {
  const [{ now }] = await tx.query<{ now: Date }[]>('SELECT service_now() AS now');
  return now;
}
