import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { createDataSource } from '../../database/data-source.js';
import { LazyDataSource } from '../../database/lazy-data-source.js';

/** Separate connection for metrics and readiness, so that they and the loops do not compete for connections. */
@Injectable()
export class MonitoringPool implements OnApplicationShutdown {
  private readonly pool: LazyDataSource;

  constructor(@Inject(CONFIGURATION) configuration: Configuration) {
    const { databaseUrl: url, databasePreparedStatements: preparesStatements } = configuration;
    const settings = { url, poolSize: 1, applicationName: 'einvoice-monitoring', preparesStatements };
    this.pool = new LazyDataSource(createDataSource(settings));
  }

  open(): Promise<DataSource> {
    return this.pool.open();
  }

  onApplicationShutdown(): Promise<void> {
    return this.pool.close();
  }
}
