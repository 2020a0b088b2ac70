import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { dataSourceOptions, type DataSourceSettings } from './data-source.js';
import { TenantTransactions } from './in-tenant.js';
import { ReliableDataSource } from './reliable-data-source.js';

/** The name of the operators' data source, for `@InjectDataSource` and `@InjectRepository`. */
export const OPERATOR_DATA_SOURCE = 'operator';

/** One pool per process, connected as the role of that process. Nest closes it after requests and ticks have ended. */
@Global()
@Module({})
export class DatabaseModule {
  static forRoot(settings: DataSourceSettings): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [TypeOrmModule.forRootAsync({ useFactory: () => moduleOptions(settings), dataSourceFactory })],
      providers: [TenantTransactions],
      exports: [TenantTransactions],
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

// forFeature also registers an entity that ENTITIES does not list. A process that cannot connect ends, and
// its supervisor starts it again.
function moduleOptions(settings: DataSourceSettings): TypeOrmModuleOptions {
  return { ...dataSourceOptions(settings), autoLoadEntities: true, toRetry: () => false };
}

function dataSourceFactory(options?: DataSourceOptions): Promise<DataSource> {
  if (options === undefined) throw new Error('A data source needs its options');
  return Promise.resolve(new ReliableDataSource(options));
}
