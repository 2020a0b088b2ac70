import type { DataSource, QueryRunner } from 'typeorm';
import { Baseline1795814000000 } from './migrations/baseline.js';

const STATE = /* sql */ `
  SELECT current_database()::text AS database,
         num_nulls(to_regproc('applied_migrations'), to_regclass('schema_migration')) = 0 AS "hasMigrations",
         EXISTS (SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
                    AND relname <> 'schema_migration') AS "hasTables"`;

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
  const applied = state.hasMigrations ? await readApplied(database) : [];
  if (!applied.includes(Baseline1795814000000.name)) throw new OtherSchemaError(state.database);
}

async function readApplied(database: DataSource | QueryRunner): Promise<readonly string[]> {
  const [{ names }] = (await database.query('SELECT applied_migrations() AS names')) as [{ names: string[] | null }];
  return names ?? [];
}
