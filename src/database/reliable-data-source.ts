import { DataSource, QueryFailedError } from 'typeorm';
import { isOutdatedPlan } from './outdated-plan.js';
import { watchDataSource } from './watch-pool.js';

const RUNS_MAX = 3;

/**
 * Runs a transaction again, whole, when a migration made one of its statements outdated: what came before it was rolled
 * back with it. So the work of a transaction touches nothing but the database.
 */
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

  override async transaction<T>(...parameters: unknown[]): Promise<T> {
    const run = super.transaction.bind(this) as (...parameters: unknown[]) => Promise<T>;
    for (let runs = 1; ; runs += 1) {
      try {
        return await run(...parameters);
      } catch (error) {
        const isOutdated = error instanceof QueryFailedError && isOutdatedPlan(error.driverError);
        if (!isOutdated || runs === RUNS_MAX) throw error;
      }
    }
  }
}
