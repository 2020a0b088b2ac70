import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { isDatabaseUnavailable } from '../../errors/database-unavailable.js';
import { OperatorError } from '../../errors/operator-error.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { createDataSource } from '../../database/data-source.js';
import { withReruns } from '../../database/reruns.js';

// A few people look at a few pages.
const POOL_SIZE = 3;

const NOT_OPENED = 'The operators’ pages are off: the database refuses DATABASE_OPERATOR_URL; see the log of the API';

/**
 * The connection of the operators' pages: a role that sees all tenants' work, in a pool of its own, so that the one that
 * serves requests never holds such rights. Opened when the first operator comes: the API starts without it.
 */
@Injectable()
export class OperatorDatabase implements OnApplicationShutdown {
  private opening: Promise<DataSource> | null = null;

  constructor(@Inject(CONFIGURATION) private readonly configuration: Configuration) {}

  /** @throws DashboardError (503) when the setting is missing or refused */
  async open(): Promise<DataSource> {
    const url = this.configuration.operatorDatabaseUrl;
    if (url === null) throw new DashboardError('operator_pages_off');
    this.opening ??= createDataSource({ url, poolSize: POOL_SIZE, applicationName: 'einvoice-operator' }).initialize();
    try {
      return await this.opening;
    } catch (error) {
      // The next request tries again.
      this.opening = null;
      if (isDatabaseUnavailable(error)) throw error;
      throw new DashboardError('operator_pages_off', { message: NOT_OPENED });
    }
  }

  /** Statements that only read. */
  async read<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return work((await this.open()).manager);
  }

  /**
   * A change in a transaction, run again when it lost a race.
   * @throws DashboardError (409) for what an operator asks for and cannot be done
   */
  async change<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const dataSource = await this.open();
    return asConflict(() => withReruns(() => dataSource.transaction(work)));
  }

  async onApplicationShutdown(): Promise<void> {
    const dataSource = await this.opening?.catch(() => null);
    await dataSource?.destroy();
  }
}

/** An OperatorError's words as an answer of the dashboard. */
export async function asConflict<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OperatorError) throw new DashboardError('state_conflict', { message: error.message });
    throw error;
  }
}
