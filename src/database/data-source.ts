import { type DataSource, type DataSourceOptions, type MigrationInterface, DefaultNamingStrategy } from 'typeorm';
import { AccessSubscriber } from './access.js';
import { PreparedStatementsClient } from './prepared-statements.client.js';
import { ReliableClient } from './reliable.client.js';
import { ReliableDataSource } from './reliable-data-source.js';
import { ENTITIES, MIGRATIONS } from './schema.js';

/** Converts property names to snake_case column names. */
class SnakeNamingStrategy extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? snakeCase(propertyName);
  }
}

function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
}

// Statements and idle database transactions hold locks for at most this time.
const STATEMENT_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
// If the server does not report the statement timeout, the connection is dead.
const RESPONSE_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 2_000;

export interface DataSourceSettings {
  readonly url: string;
  readonly poolSize: number;
  readonly applicationName: string;
  /** Disables the timeouts, for migrations and audits. */
  readonly isUnbounded?: boolean;
  /** Whether statements are prepared by name on their connection; defaults to true. */
  readonly preparesStatements?: boolean;
  readonly migrations?: readonly (new () => MigrationInterface)[];
}

// All statements look up rows by key, so replanning for each value would only cost time. A generic plan may be created
// while a table is small, when a sequential scan looks cheap, and is kept after the table has grown. jit is off because
// before PostgreSQL 18, a forced scan has such a high cost that the server would compile the statement.
const PLANS = ['plan_cache_mode=force_generic_plan', 'enable_seqscan=off', 'enable_bitmapscan=off', 'jit=off'];

const BOUNDS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
  query_timeout: RESPONSE_TIMEOUT_MS,
  options: PLANS.map((plan) => `-c ${plan}`).join(' '),
};

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

/** The caller opens and closes the data source. */
export function createDataSource(settings: DataSourceSettings): DataSource {
  return new ReliableDataSource(dataSourceOptions(settings));
}
