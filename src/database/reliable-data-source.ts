import type pg from 'pg';
import { DataSource, type QueryRunner, type ReplicationMode } from 'typeorm';
import { measurePoolWait, watchPool } from '../common/metrics.js';
import { isOutdatedPlan, withReruns } from './reruns.js';

/** Retries failed database transactions and statements (reruns.ts), and exports the metrics of its pool. */
export class ReliableDataSource extends DataSource {
  private unwatch: (() => void) | null = null;

  override async initialize(): Promise<this> {
    await super.initialize();
    const { master: pool } = this.driver as unknown as { master: pg.Pool };
    const { applicationName: name = 'unnamed' } = this.options as { applicationName?: string };
    measureWaits(pool, name);
    this.unwatch = watchPool(() => {
      const { totalCount, idleCount, waitingCount } = pool;
      return { name, totalCount, idleCount, waitingCount };
    });
    return this;
  }

  override async destroy(): Promise<void> {
    this.unwatch?.();
    await super.destroy();
  }

  override transaction<T>(...parameters: unknown[]): Promise<T> {
    const run = super.transaction.bind(this) as (...parameters: unknown[]) => Promise<T>;
    return withReruns(() => run(...parameters));
  }

  // Repositories and query builders create a runner for each statement outside a database transaction.
  override createQueryRunner(mode?: ReplicationMode): QueryRunner {
    const runner = super.createQueryRunner(mode);
    const query = runner.query.bind(runner) as (...parameters: unknown[]) => Promise<unknown>;
    runner.query = (...parameters: unknown[]): Promise<never> => {
      const run = (): Promise<never> => query(...parameters) as Promise<never>;
      return runner.isTransactionActive ? run() : withReruns(run, isOutdatedPlan);
    };
    return runner;
  }
}

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: () => void) => void;

// The pool does not report how long a caller waited for a connection.
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
