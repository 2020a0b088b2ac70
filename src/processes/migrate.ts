import { setTimeout as wait } from 'node:timers/promises';
import { type DataSource, type Migration, MigrationExecutor, type QueryRunner } from 'typeorm';
import { applyFunctions, readApplied } from '../database/apply-functions.js';
import { createDataSource } from '../database/data-source.js';
import { givingWay } from '../database/giving-way.js';
import { findOutdated, FUNCTIONS, type FunctionSet } from '../database/function-files.js';
import type { Extension } from '../extensions/extensions.js';
import { EXTENSIONS, listMigrations } from '../extensions/registered-extensions.js';
import { assertLanded, listRanMigrations, recordHashes } from '../database/landed-migrations.js';

// Any number that nothing else in the database takes: two simultaneous starts migrate one after the other.
const MIGRATION_LOCK = 7_204_185_331;

const RETRY_MS = 250;

/** What a run has changed: names, in order. */
export interface Applied {
  readonly migrations: string[];
  readonly functions: string[];
}

/**
 * Applies the pending migrations as the owner of the tables, in order, and then the SQL functions; what was applied
 * before one fails stays applied.
 * @throws Error when the database is not one of this version or an earlier one
 */
export function migrate(
  ownerUrl: string,
  functions: FunctionSet = FUNCTIONS,
  extensions: readonly Extension[] = EXTENSIONS,
): Promise<Applied> {
  return migrateWith(createOwnerDataSource(ownerUrl, extensions), functions);
}

/** The same with the migrations of a data source, which it opens and closes. */
export async function migrateWith(dataSource: DataSource, functions = FUNCTIONS): Promise<Applied> {
  return withRunner(dataSource, async (runner) => {
    // What the owner's role may have set for itself must not end a migration either.
    await runner.query('SET statement_timeout = 0');
    await runner.query('SET idle_in_transaction_session_timeout = 0');
    await takeLock(runner);
    await assertLanded(runner);
    const executor = new MigrationExecutor(dataSource, runner);
    // Makes the table of migrations, which looking for those that are pending does not.
    await executor.showMigrations();
    const pending = await executor.getPendingMigrations();
    for (const migration of pending) await givingWay(runner, () => apply(runner, migration));
    const applied = await givingWay(runner, () => applyFunctions(runner, functions));
    return { migrations: pending.map(({ name }) => name), functions: applied };
  });
}

// Asked again and again: a statement that waited for it would have a snapshot, which an index that is made concurrently
// waits for, and each would wait for the other. The lock ends with its connection.
async function takeLock(runner: QueryRunner): Promise<void> {
  for (;;) {
    const [{ isOurs }] = (await runner.query('SELECT pg_try_advisory_lock($1) AS "isOurs"', [MIGRATION_LOCK])) as [
      { isOurs: boolean },
    ];
    if (isOurs) return;
    await wait(RETRY_MS);
  }
}

export interface Pending {
  readonly ran: string[];
  /** Migrations. */
  readonly pending: string[];
  readonly functions: string[];
}

/** What migrating would change. @throws Error as migrating would */
export function listPending(ownerUrl: string): Promise<Pending> {
  const dataSource = createOwnerDataSource(ownerUrl, EXTENSIONS);
  return withRunner(dataSource, async (runner) => {
    await assertLanded(runner);
    const ran = [...(await listRanMigrations(runner)).keys()];
    const known = dataSource.migrations.map((migration) => migration.name ?? migration.constructor.name);
    const functions = findOutdated(await readApplied(runner), FUNCTIONS).map(({ name }) => name);
    return { ran, pending: known.filter((name) => !ran.includes(name)), functions };
  });
}

function createOwnerDataSource(url: string, extensions: readonly Extension[]): DataSource {
  const migrations = listMigrations(extensions);
  return createDataSource({ url, poolSize: 1, applicationName: 'einvoice-migrate', isUnbounded: true, migrations });
}

async function withRunner<T>(dataSource: DataSource, work: (runner: QueryRunner) => Promise<T>): Promise<T> {
  await dataSource.initialize();
  const runner = dataSource.createQueryRunner();
  try {
    return await work(runner);
  } finally {
    await runner.release();
    await dataSource.destroy();
  }
}

/**
 * Runs a migration and records it with its hash, all of it or nothing. One without a transaction can be run again after
 * it has ended in the middle, and is recorded once it has ended.
 */
async function apply(runner: QueryRunner, { name, timestamp, instance }: Migration): Promise<void> {
  if (instance?.transaction === false) await instance.up(runner);
  await runner.startTransaction();
  try {
    if (instance?.transaction !== false) await instance?.up(runner);
    await runner.query('INSERT INTO schema_migration (timestamp, name) VALUES ($1, $2)', [timestamp, name]);
    await recordHashes(runner);
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
}
