import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { isOutOfDescriptors } from '../../common/out-of-descriptors.js';
import { isDatabaseUnavailable } from '../../errors/database-unavailable.js';
import { OperatorError } from '../../errors/operator-error.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { confirmWith, currentAccess } from '../../database/access.js';
import { OPERATOR_DATA_SOURCE } from '../../database/database.module.js';
import { LazyDataSource } from '../../database/lazy-data-source.js';

const NOT_OPENED =
  'The operators’ pages are off because the database refuses DATABASE_OPERATOR_URL; see the log of the API';

/**
 * Database of the operators' pages. Its role can read all tenants, so it uses a separate connection pool. The pool
 * opens on the first operator request, because the API must start without it.
 */
@Injectable()
export class OperatorDatabase implements OnApplicationShutdown {
  private readonly logger = new Logger(OperatorDatabase.name);
  private readonly pool: LazyDataSource;

  constructor(
    @InjectDataSource(OPERATOR_DATA_SOURCE) dataSource: DataSource,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {
    this.pool = new LazyDataSource(dataSource);
  }

  /** @throws DashboardError (503) if DATABASE_OPERATOR_URL is missing or refused */
  async open(): Promise<DataSource> {
    if (this.configuration.operatorDatabaseUrl === null) throw new DashboardError('operator_pages_off');
    try {
      return await this.pool.open();
    } catch (error) {
      if (isDatabaseUnavailable(error) || isOutOfDescriptors(error)) throw error;
      this.logger.error(`The database refuses DATABASE_OPERATOR_URL: ${String(error)}`);
      throw new DashboardError('operator_pages_off', { message: NOT_OPENED });
    }
  }

  /** Runs read-only statements. Confirms the access of the request first, if required. */
  async read<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const { manager } = await this.open();
    const access = currentAccess();
    if (access !== undefined) await confirmWith(manager, access);
    return work(manager);
  }

  /**
   * Runs a change in a database transaction.
   * @throws DashboardError (409) if the change is impossible
   */
  async change<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const dataSource = await this.open();
    return asConflict(() => dataSource.transaction(work));
  }

  // Nest does not close a data source that is still opening.
  onApplicationShutdown(): Promise<void> {
    return this.pool.close();
  }
}

/** Converts an OperatorError into a 409 response. */
export async function asConflict<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OperatorError) throw new DashboardError('state_conflict', { message: error.message });
    throw error;
  }
}
