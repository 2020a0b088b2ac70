import { type EntityManager, type FindOperator, Raw } from 'typeorm';

/** Reads the database's clock. All leases, expiries and windows use it because the clocks of replicas may differ. */
export async function readServiceNow(tx: EntityManager): Promise<Date> {
  const [{ now }] = await tx.query<{ now: Date }[]>('SELECT service_now() AS now');
  return now;
}

export const SERVICE_NOW = (): string => 'service_now()';

export function serviceNowPlus(seconds: number): () => string {
  return () => `service_now() + make_interval(secs => ${seconds})`;
}

/** Matches times that were still in the future `secondsAgo`. */
export function isAfterNow({ secondsAgo = 0 } = {}): FindOperator<Date> {
  return Raw((column) => `${column} > service_now() - make_interval(secs => ${secondsAgo})`);
}
