import { setTimeout as wait } from 'node:timers/promises';
import { MigrationExecutor, type QueryRunner } from 'typeorm';
import { createDataSource } from './database/data-source.js';

// Any number that nothing else in the database takes: two starts at once migrate one after the other.
const MIGRATION_LOCK = 7_204_185_331;
const LOCK_PAUSE_MS = 200;

/**
 * Applies the pending migrations as the owner of the tables, in order; what was applied before one fails stays applied.
 * @returns the names of those that were applied, in order
 */
export async function migrate(ownerUrl: string): Promise<string[]> {
  const dataSource = await createDataSource({
    url: ownerUrl,
    poolSize: 1,
    applicationName: 'einvoice-migrate',
    isUnbounded: true,
  }).initialize();
  const runner = dataSource.createQueryRunner();
  try {
    // What the owner's role may have set for itself must not end a migration either.
    await runner.query('SET statement_timeout = 0');
    await runner.query('SET idle_in_transaction_session_timeout = 0');
    await lock(runner);
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    const applied = await executor.executePendingMigrations();
    return applied.map((migration) => migration.name);
  } finally {
    // The lock ends with its connection.
    await runner.release();
    await dataSource.destroy();
  }
}

// Asked again and again: a statement that waits for the lock would have a snapshot, which an index that is made
// concurrently waits for, and each would wait for the other.
async function lock(runner: QueryRunner): Promise<void> {
  for (;;) {
    const [{ isOurs }] = (await runner.query('SELECT pg_try_advisory_lock($1) AS "isOurs"', [MIGRATION_LOCK])) as {
      isOurs: boolean;
    }[];
    if (isOurs) return;
    await wait(LOCK_PAUSE_MS);
  }
}
