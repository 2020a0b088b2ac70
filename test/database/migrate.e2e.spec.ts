import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDataSource } from '../../src/database/data-source.js';
import { MIGRATION_LOCK } from '../../src/database/landed-migrations.js';
import { Initial1795000000000 } from '../../src/database/migrations/1795000000000-initial.js';
import { index } from '../../src/database/migrations/while-serving.js';
import { migrate, migrateWith, listPending } from '../../src/processes/migrate.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';

const FIRST = 'Initial1795000000000';
const ALL = Object.keys(MIGRATION_LOCK.migrations);

let database: TestDatabase;
let owner: DataSource;
beforeEach(async () => {
  database = await createEmptyDatabase();
  owner = await openOwner([]);
});
afterEach(async () => {
  await owner.destroy();
  await database.drop();
});

type MigrationClass = new () => MigrationInterface;

function withMigrations(migrations: readonly MigrationClass[]): DataSource {
  const dataSource = createDataSource({ url: database.ownerUrl, poolSize: 2, applicationName: 'test' });
  return dataSource.setOptions({ migrations: [...migrations] });
}

const openOwner = (migrations: readonly MigrationClass[]): Promise<DataSource> =>
  withMigrations(migrations).initialize();

/** A database as the first landed build left it, which recorded no hash. */
async function makeFirst(): Promise<void> {
  const first = await openOwner([Initial1795000000000]);
  await first.runMigrations();
  await first.destroy();
}

const ran = async (): Promise<string[]> =>
  (await owner.query<{ name: string }[]>('SELECT name FROM schema_migration ORDER BY id')).map(({ name }) => name);

const recorded = async (): Promise<Record<string, string>> => {
  const rows = await owner.query<{ name: string; sha256: string }[]>('SELECT name, sha256 FROM schema_migration_hash');
  return Object.fromEntries(rows.map(({ name, sha256 }) => [name, sha256]));
};

describe('migrating', () => {
  it('an empty database runs everything, and records the hash of each migration', async () => {
    expect((await migrate(database.ownerUrl)).migrations).toEqual(ALL);
    expect(await recorded()).toEqual(MIGRATION_LOCK.migrations);
    expect((await migrate(database.ownerUrl)).migrations).toEqual([]);
  });

  it('a database of the first landed schema goes on from there, and has its hash recorded once', async () => {
    await makeFirst();
    expect(await listPending(database.ownerUrl)).toMatchObject({ ran: [FIRST], pending: ALL.slice(1) });
    expect((await migrate(database.ownerUrl)).migrations).toEqual(ALL.slice(1));
    expect(await recorded()).toEqual(MIGRATION_LOCK.migrations);
  });

  it('what an operator added to the first landed schema does no harm', async () => {
    await makeFirst();
    await owner.query('CREATE TABLE report (day date); CREATE INDEX ix_mine ON tenant (name)');
    expect((await migrate(database.ownerUrl)).migrations).toEqual(ALL.slice(1));
  });

  it('what a later version ran is not its concern: an earlier one may start next to it', async () => {
    await migrate(database.ownerUrl);
    await owner.query(`INSERT INTO schema_migration (timestamp, name) VALUES (1999000000000, 'Later1999000000000')`);
    await owner.query(`INSERT INTO schema_migration_hash (name, sha256) VALUES ('Later1999000000000', 'x')`);
    expect((await migrate(database.ownerUrl)).migrations).toEqual([]);
  });
});

describe('a database that this version cannot go on with is refused, and left as it is', () => {
  const WHAT_TO_DO = 'Nothing was changed. Start with an empty database';

  async function refused(words: string): Promise<void> {
    const before = await ran();
    for (const attempt of [migrate, listPending]) {
      await expect(attempt(database.ownerUrl)).rejects.toThrow(words);
      await expect(attempt(database.ownerUrl)).rejects.toThrow(WHAT_TO_DO);
    }
    expect(await ran()).toEqual(before);
  }

  it('one of an earlier commit, whose first migration was another under the same name', async () => {
    await makeFirst();
    await owner.query('ALTER TABLE user_account DROP COLUMN disabled_at');
    await owner.query('DROP FUNCTION read_submission_status(uuid, text, uuid, text)');
    await refused(
      'made in development, before the first schema was final: function read_submission_status(p_tenant_id uuid, ' +
        'p_environment text, p_batch_id uuid, p_client_id text), table user_account are missing or different',
    );
  });

  it('one in which a function says something else', async () => {
    await makeFirst();
    await owner.query(`CREATE OR REPLACE FUNCTION applied_migrations() RETURNS text[] LANGUAGE sql STABLE
      SECURITY DEFINER SET search_path = public, pg_temp AS $$ SELECT '{}'::text[] $$`);
    await refused('first schema was final: function applied_migrations() is missing or different');
  });

  it('one that ran another text of a landed migration', async () => {
    await migrate(database.ownerUrl);
    await owner.query(`UPDATE schema_migration_hash SET sha256 = repeat('0', 64) WHERE name = $1`, [FIRST]);
    await refused(`ran another text of ${FIRST} than the one of this version`);
  });

  it('one that ran a later migration before its text was final', async () => {
    await migrate(database.ownerUrl);
    const last = ALL[ALL.length - 1];
    await owner.query('DELETE FROM schema_migration_hash WHERE name = $1', [last]);
    await refused(`ran ${last} in development, before its text was final`);
  });
});

class Widen1999000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE tenant ADD COLUMN width integer');
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

class Index1998000000000 implements MigrationInterface {
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return index(runner, 'ix_batch_instant', { on: 'submission_batch (created_at)' });
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

it('a migration that has to wait for a table lets everybody else pass, and goes on when the table is free', async () => {
  await migrate(database.ownerUrl);
  const holder = owner.createQueryRunner();
  await holder.startTransaction();
  await holder.query('SELECT FROM tenant');
  const migrations = withMigrations([Index1998000000000, Widen1999000000000]);
  let isDone = false;
  const migrating = migrateWith(migrations).finally(() => (isDone = true));
  const waiting = `SELECT FROM pg_locks WHERE relation = 'tenant'::regclass AND NOT granted`;
  for (let turn = 0; turn < 3; turn += 1) {
    await expect.poll(() => owner.query<unknown[]>(waiting), { interval: 5 }).toHaveLength(1);
    // Behind the migration; the data source ends a statement that takes ten seconds.
    expect(await owner.query('SELECT count(*) AS tenants FROM tenant')).toEqual([{ tenants: '0' }]);
  }
  expect(isDone).toBe(false);
  await holder.commitTransaction();
  await holder.release();
  expect((await migrating).migrations).toEqual(['Index1998000000000', 'Widen1999000000000']);
});
