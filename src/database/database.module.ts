import { type DynamicModule, Global, Module } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { dataSourceOptions, type DataSourceSettings } from './data-source.js';
import { CONNECTION_SHARES, createConnectionShares, TenantTransactions } from './in-tenant.js';
import { ReliableDataSource } from './reliable-data-source.js';

export const OPERATOR_DATA_SOURCE = 'operator';

export const DASHBOARD_DATA_SOURCE = 'dashboard';

/**
 * Database transactions of the dashboard, on connections separate from those of API keys (docs/security.md#neighbours).
 */
export class DashboardTransactions extends TenantTransactions {}

const DASHBOARD_POOL_SIZE = 4;

/** The connection pools of a process. Nest closes them after requests and ticks have ended. */
@Global()
@Module({})
export class DatabaseModule {
  /** @param isShared whether each tenant may use only a share of the connections */
  static forRoot(settings: DataSourceSettings, { isShared = false } = {}): DynamicModule {
    const shares = isShared ? createConnectionShares(settings.poolSize) : null;
    return {
      module: DatabaseModule,
      imports: [TypeOrmModule.forRootAsync({ useFactory: () => moduleOptions(settings), dataSourceFactory })],
      providers: [TenantTransactions, { provide: CONNECTION_SHARES, useValue: shares }],
      exports: [TenantTransactions],
    };
  }

  static forDashboard(settings: Omit<DataSourceSettings, 'poolSize'>): DynamicModule {
    return {
      module: DashboardDatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          name: DASHBOARD_DATA_SOURCE,
          useFactory: () => moduleOptions({ ...settings, poolSize: DASHBOARD_POOL_SIZE }),
          dataSourceFactory,
        }),
      ],
      providers: [
        {
          provide: DashboardTransactions,
          inject: [getDataSourceToken(DASHBOARD_DATA_SOURCE)],
          useFactory: (dataSource: DataSource) =>
            new DashboardTransactions(dataSource, createConnectionShares(DASHBOARD_POOL_SIZE)),
        },
      ],
      exports: [DashboardTransactions],
    };
  }

  /** For processes that use their main pool instead. */
  static withoutDashboard(): DynamicModule {
    const token = getDataSourceToken(DASHBOARD_DATA_SOURCE);
    return {
      module: DashboardDatabaseModule,
      providers: [{ provide: token, useExisting: DataSource }],
      exports: [token],
    };
  }

  /** The pool of the operators' pages, which reads all tenants and opens on the first request. */
  static forOperator(settings: DataSourceSettings): DynamicModule {
    return TypeOrmModule.forRootAsync({
      name: OPERATOR_DATA_SOURCE,
      useFactory: () => ({ ...moduleOptions(settings), manualInitialization: true }),
      dataSourceFactory,
    });
  }
}

@Global()
@Module({})
class DashboardDatabaseModule {}

// Disables toRetry: a process that cannot connect exits, and its supervisor restarts it.
function moduleOptions(settings: DataSourceSettings): TypeOrmModuleOptions {
  return { ...dataSourceOptions(settings), autoLoadEntities: true, toRetry: () => false };
}

function dataSourceFactory(options?: DataSourceOptions): Promise<DataSource> {
  if (options === undefined) throw new Error('A data source needs its options');
  return Promise.resolve(new ReliableDataSource(options));
}
