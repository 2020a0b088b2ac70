import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { createDataSource, type DataSourceSettings } from './data-source.js';
import { TenantTransactions } from './in-tenant.js';

/** One pool per process, connected as the role of that process. */
@Global()
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  static forRoot(settings: DataSourceSettings): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        { provide: DataSource, useFactory: () => createDataSource(settings).initialize() },
        TenantTransactions,
      ],
      exports: [DataSource, TenantTransactions],
    };
  }

  // After beforeApplicationShutdown, in which requests and ticks have ended.
  async onApplicationShutdown(): Promise<void> {
    await this.dataSource.destroy();
  }
}
