import { type DynamicModule, Global, Module } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { dataSourceOptions, type DataSourceSettings } from './data-source.js';
import { CONNECTION_SHARES, createConnectionShares, TenantTransactions } from './in-tenant.js';
import { ReliableDataSource } from './reliable-data-source.js';

/** The name of the operators' data source, for `@InjectDataSource` and `@InjectRepository`. */
export const OPERATOR_DATA_SOURCE = 'operator';

/** The name of the data source of sign-in and dashboard. */
export const DASHBOARD_DATA_SOURCE = 'dashboard';

/**
 * The same for the pages of the dashboard, whose connections no request with an API key uses
 * (docs/security.md#neighbours).
 */
export class DashboardTransactions extends TenantTransactions {}

const DASHBOARD_POOL_SIZE = 4;

/** One pool per process, connected as the role of that process. Nest closes it after requests and ticks have ended. */
@Global()
@Module({})
export class DatabaseModule {
  /** @param isShared whether tenants have shares of the connections: where clients decide how much is done */
  static forRoot(settings: DataSourceSettings, { isShared = false } = {}): DynamicModule {
    const shares = isShared ? createConnectionShares(settings.poolSize) : null;
    return {
      module: DatabaseModule,
      imports: [TypeOrmModule.forRootAsync({ useFactory: () => moduleOptions(settings), dataSourceFactory })],
      providers: [TenantTransactions, { provide: CONNECTION_SHARES, useValue: shares }],
      exports: [TenantTransactions],
    };
  }

  /** The pool of sign-in and dashboard, for the API. Elsewhere, as in commands, they use that of the process. */
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

  /** For a process without that pool. */
  static withoutDashboard(): DynamicModule {
    const token = getDataSourceToken(DASHBOARD_DATA_SOURCE);
    return {
      module: DashboardDatabaseModule,
      providers: [{ provide: token, useExisting: DataSource }],
      exports: [token],
    };
  }

  /** The pool of the operators' pages, which sees all tenants. OperatorDatabase opens it for the first request. */
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

// forFeature also registers an entity that ENTITIES does not list. A process that cannot connect ends, and
// its supervisor starts it again.
function moduleOptions(settings: DataSourceSettings): TypeOrmModuleOptions {
  return { ...dataSourceOptions(settings), autoLoadEntities: true, toRetry: () => false };
}

function dataSourceFactory(options?: DataSourceOptions): Promise<DataSource> {
  if (options === undefined) throw new Error('A data source needs its options');
  return Promise.resolve(new ReliableDataSource(options));
}
