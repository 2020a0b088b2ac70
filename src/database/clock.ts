import { type EntityManager, type FindOperator, Raw } from 'typeorm';

/** The database's clock, which every lease, expiry and window is decided by: replicas' own clocks may differ. */
export async function readServiceNow(tx: EntityManager): Promise<Date> {
  const [{ now }] = await tx.query<{ now: Date }[]>('SELECT service_now() AS now');
  return now;
}

/** The same clock as the value of a column, read by the statement that writes it. */
export const SERVICE_NOW = (): string => 'service_now()';

export function serviceNowPlus(seconds: number): () => string {
  return () => `service_now() + make_interval(secs => ${seconds})`;
}

/** As the condition of a column: a time that has not come yet, some seconds ago. */
export function isAfterNow({ secondsAgo = 0 } = {}): FindOperator<Date> {
  return Raw((column) => `${column} > service_now() - make_interval(secs => ${secondsAgo})`);
}
