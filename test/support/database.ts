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
  await asSuperuser(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy OWNER einvoice_owner`);
  const buildUrl = (role: string): string => `postgres://${role}:test@127.0.0.1:${inject('postgresPort')}/${name}`;
  return {
    ownerUrl: buildUrl('einvoice_owner'),
    appUrl: buildUrl('einvoice_app'),
    dispatcherUrl: buildUrl('einvoice_dispatcher'),
    operatorUrl: buildUrl('einvoice_operator'),
    superuserUrl: buildUrl('postgres'),
    drop: () => asSuperuser(`DROP DATABASE ${name} WITH (FORCE)`),
  };
}

async function asSuperuser(statement: string): Promise<void> {
  const client = new pg.Client({
    connectionString: `postgres://postgres:test@127.0.0.1:${inject('postgresPort')}/postgres`,
  });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
