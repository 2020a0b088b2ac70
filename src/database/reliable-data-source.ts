import { DataSource, type QueryRunner, type ReplicationMode } from 'typeorm';
import { isOutdatedPlan, withReruns } from './reruns.js';
import { watchDataSource } from './watch-pool.js';

/** Reruns database transactions, and statements outside one (reruns.ts). */
export class ReliableDataSource extends DataSource {
  private unwatch: (() => void) | null = null;

  override async initialize(): Promise<this> {
    await super.initialize();
    this.unwatch = watchDataSource(this);
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

  // Repositories and query builders make their own runner for a statement outside a transaction.
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
