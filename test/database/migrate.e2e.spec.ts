import type { DataSource } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assertDatabase } from '../../src/database/connection-role.js';
import { readConfiguration } from '../../src/config/configuration.js';
import { createDataSource } from '../../src/database/data-source.js';
import { MIGRATIONS } from '../../src/database/schema.js';
import { migrate } from '../../src/processes/migrate.js';
import { runCommand } from '../cli/run-command.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';

const ALL = MIGRATIONS.map(({ name }) => name);

let database: TestDatabase;
let owner: DataSource;
beforeEach(async () => {
  database = await createEmptyDatabase();
  owner = await createDataSource({ url: database.ownerUrl, poolSize: 1, applicationName: 'test' }).initialize();
});
afterEach(async () => {
  await owner.destroy();
  await database.drop();
});

const countTables = async (): Promise<number> =>
  (await owner.query<unknown[]>(`SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace`)).length;

/** Runs the startup checks of the API. */
const start = (): Promise<void> => {
  const authority = { API_URL: 'http://127.0.0.1:1', CLIENT_ID: 'id', CLIENT_SECRET: 'secret' };
  const settings = Object.entries(authority).map(([name, value]) => [`AUTHORITY_SANDBOX_${name}`, value]);
  const environment = { DATABASE_URL: database.appUrl, SECRETS_KEY: 'k'.repeat(32), ...Object.fromEntries(settings) };
  return assertDatabase(readConfiguration('api', environment));
};

describe('migrate', () => {
  it('creates the schema of an empty database once', async () => {
    expect(await migrate(database.ownerUrl)).toEqual(ALL);
    expect(await migrate(database.ownerUrl)).toEqual([]);
    await start();
  });

  it('creates the schema once when two runs are concurrent', async () => {
    const applied = await Promise.all([migrate(database.ownerUrl), migrate(database.ownerUrl)]);
    expect(applied.flat()).toEqual(ALL);
  });

  it('succeeds after a run that was killed before its commit', async () => {
    await owner.query(
      'CREATE TABLE schema_migration (id serial PRIMARY KEY, timestamp bigint NOT NULL, name varchar NOT NULL)',
    );
    await start();
    expect(await migrate(database.ownerUrl)).toEqual(ALL);
  });

  it('keeps tables created by an operator', async () => {
    await migrate(database.ownerUrl);
    await owner.query('CREATE TABLE report (day date)');
    expect(await migrate(database.ownerUrl)).toEqual([]);
    await start();
  });
});

describe('a database with an unknown schema', () => {
  it.each([
    ['another baseline', `UPDATE schema_migration SET name = 'Baseline1700000000000'`],
    ['no migration table', 'DROP TABLE schema_migration CASCADE'],
  ])('is rejected by every process and command if it has %s', async (_, change) => {
    await migrate(database.ownerUrl);
    await owner.query(change);
    const before = await countTables();
    const name = new URL(database.ownerUrl).pathname.slice(1);
    const refusal = `The database "${name}" has another schema than this version: use an empty database`;
    for (const attempt of [start, () => migrate(database.ownerUrl)]) await expect(attempt()).rejects.toThrow(refusal);
    const { exitCode, error } = await runCommand(database, ['tenant', 'list']);
    expect({ exitCode, error }).toEqual({ exitCode: 1, error: `${refusal}\n` });
    expect(await countTables()).toBe(before);
  });

  it('remains unchanged if it belongs to another program', async () => {
    await owner.query('CREATE TABLE customer (name text)');
    await expect(migrate(database.ownerUrl)).rejects.toThrow('use an empty database');
    expect(await countTables()).toBe(1);
  });
});
