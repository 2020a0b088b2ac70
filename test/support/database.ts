import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export interface TestDatabase {
  /** Owner of the tables, who bypasses row-level security. */
  readonly ownerUrl: string;
  readonly appUrl: string;
  readonly dispatcherUrl: string;
  readonly operatorUrl: string;
  /** Superuser, who can also disable triggers. */
  readonly superuserUrl: string;
  drop(): Promise<void>;
}

/** Creates a separate database from the migrated template. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase('einvoice_template');
}

/** Creates a separate database without tables, for tests of migrations. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('template0');
}

async function createDatabase(template: string): Promise<TestDatabase> {
  const name = `einvoice_${randomBytes(6).toString('hex')}`;
  // PostgreSQL's default strategy writes the copy to the WAL and takes several times as long.
  await superuser.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy OWNER einvoice_owner`);
  const buildUrl = (role: string): string => `postgres://${role}:test@127.0.0.1:${inject('postgresPort')}/${name}`;
  return {
    ownerUrl: buildUrl('einvoice_owner'),
    appUrl: buildUrl('einvoice_app'),
    dispatcherUrl: buildUrl('einvoice_dispatcher'),
    operatorUrl: buildUrl('einvoice_operator'),
    superuserUrl: buildUrl('postgres'),
    drop: async () => void (await superuser.query(`DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

// Does not keep the process alive.
const superuser = new pg.Pool({
  connectionString: `postgres://postgres:test@127.0.0.1:${inject('postgresPort')}/postgres`,
  max: 1,
  allowExitOnIdle: true,
});
// PostgreSQL may stop before the process ends.
superuser.on('error', () => undefined);

/** Deletes the rows of all tables, apart from those of the migrations, and resets the clock. */
export async function deleteAllRows(superuserUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(TABLES);
    // A replica does not run triggers, which check foreign keys and keep the ledger append-only.
    await client.query(`
      SET session_replication_role = replica;
      ${rows.map(({ name }) => `DELETE FROM ${name};`).join('\n')}
      UPDATE service_clock SET offset_seconds = 0`);
  } finally {
    await client.end();
  }
}

const TABLES = /* sql */ `
  SELECT quote_ident(tablename) AS name FROM pg_tables
   WHERE schemaname = 'public' AND tablename NOT IN ('schema_migration', 'service_clock', 'database_server')`;
