import type { DataSource, QueryRunner } from 'typeorm';
import { Baseline1795815000000 } from './migrations/baseline.js';

const STATE = /* sql */ `
  SELECT current_database()::text AS database,
         coalesce(has_table_privilege(to_regclass('schema_migration'), 'SELECT'), false) AS "hasMigrations",
         EXISTS (SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
                    AND relname <> 'schema_migration') AS "hasTables"`;

const APPLIED = 'SELECT name FROM schema_migration';

interface State {
  readonly database: string;
  readonly hasMigrations: boolean;
  readonly hasTables: boolean;
}

export class OtherSchemaError extends Error {
  constructor(database: string) {
    super(`The database "${database}" has another schema than this version: use an empty database`);
  }
}

/**
 * Accepts a database with this version's baseline, or an empty database.
 * @throws OtherSchemaError for any other database
 */
export async function assertBaseline(database: DataSource | QueryRunner): Promise<void> {
  const [state] = (await database.query(STATE)) as [State];
  if (!state.hasTables) return;
  const applied = state.hasMigrations ? ((await database.query(APPLIED)) as { name: string }[]) : [];
  if (!applied.some(({ name }) => name === Baseline1795815000000.name)) throw new OtherSchemaError(state.database);
}
