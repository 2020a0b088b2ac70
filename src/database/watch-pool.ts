import type pg from 'pg';
import type { DataSource } from 'typeorm';
import { measurePoolWait, watchPool } from '../common/metrics.js';

/** Shows the pool of an open data source in the metrics, under its application name. @returns a function that stops it */
export function watchDataSource(dataSource: DataSource): () => void {
  const { master: pool } = dataSource.driver as unknown as { master: pg.Pool };
  const { applicationName: name = 'unnamed' } = dataSource.options as { applicationName?: string };
  measureWaits(pool, name);
  return watchPool(() => ({
    name,
    totalCount: pool.totalCount,
    idleCount: pool.idleCount,
    waitingCount: pool.waitingCount,
  }));
}

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: () => void) => void;

// The pool tells when a connection is taken, and not since when its borrower has waited.
function measureWaits(pool: pg.Pool, name: string): void {
  const connect = pool.connect.bind(pool) as (callback: Connected) => void;
  const connectLater = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
  const measured = (callback?: Connected): Promise<pg.PoolClient> | void => {
    const startedAt = performance.now();
    const measure = (): void => measurePoolWait(name, (performance.now() - startedAt) / 1_000);
    if (callback === undefined) return connectLater().finally(measure);
    connect((...result) => {
      measure();
      callback(...result);
    });
  };
  pool.connect = measured as typeof pool.connect;
}
