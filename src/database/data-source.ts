import { type DataSource, type DataSourceOptions, type MigrationInterface, DefaultNamingStrategy } from 'typeorm';
import { AccessSubscriber } from './access.js';
import { PreparedStatementsClient } from './prepared-statements.client.js';
import { ReliableClient } from './reliable.client.js';
import { ReliableDataSource } from './reliable-data-source.js';
import { ENTITIES, MIGRATIONS } from './schema.js';

/** Columns are snake_case in SQL and camelCase in code; every table, key and index is named by hand. */
class SnakeNamingStrategy extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? snakeCase(propertyName);
  }
}

function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
}

// A statement or an open transaction that takes longer than this holds locks that other calls wait for.
const STATEMENT_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
// The database ends a statement itself; no word of that either means that the connection is dead.
const RESPONSE_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 2_000;

export interface DataSourceSettings {
  readonly url: string;
  readonly poolSize: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /** Its statements may take any time: migrations. */
  readonly isUnbounded?: boolean;
  /** Statements are prepared by name and kept on their connection; `true` when left out. */
  readonly preparesStatements?: boolean;
  /** Of extensions, in addition to the product's. */
  readonly migrations?: readonly (new () => MigrationInterface)[];
}

// Every statement finds its rows by keys, whatever the values: planning it again for each of them only costs. Such a
// plan may be made while a table is empty, when reading all of it looks free, or while a queue looks short, when
// reading all of it and sorting looks cheap; and it is kept after they have grown, until the statistics are taken
// again. Before PostgreSQL 18 what must read a small table all the same then has a cost so high that the server would
// compile each such statement, which takes it a hundred times as long as to run it: hence jit.
const PLANS = ['plan_cache_mode=force_generic_plan', 'enable_seqscan=off', 'enable_bitmapscan=off', 'jit=off'];

const BOUNDS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
  query_timeout: RESPONSE_TIMEOUT_MS,
  options: PLANS.map((plan) => `-c ${plan}`).join(' '),
};

/** What all our data sources have in common; DatabaseModule gives them to Nest, the others are made by hand. */
export function dataSourceOptions(settings: DataSourceSettings): DataSourceOptions {
  return {
    type: 'postgres',
    url: settings.url,
    applicationName: settings.applicationName,
    poolSize: settings.poolSize,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    extra: {
      Client: settings.preparesStatements === false ? ReliableClient : PreparedStatementsClient,
      ...(settings.isUnbounded === true ? {} : BOUNDS),
    },
    entities: ENTITIES,
    subscribers: [AccessSubscriber],
    migrations: [...MIGRATIONS, ...(settings.migrations ?? [])],
    migrationsTableName: 'schema_migration',
    migrationsTransactionMode: 'each',
    namingStrategy: new SnakeNamingStrategy(),
    synchronize: false,
    logging: false,
  };
}

/** A data source outside Nest: of migrations, tools and tests. The caller opens and closes it. */
export function createDataSource(settings: DataSourceSettings): DataSource {
  return new ReliableDataSource(dataSourceOptions(settings));
}
