import { type DataSource, MigrationExecutor, type MigrationInterface, type QueryRunner } from 'typeorm';
import { assertBaseline } from '../database/assert-baseline.js';
import { createDataSource } from '../database/data-source.js';
import { listMigrations } from '../extensions/registered-extensions.js';

// Simultaneous starts migrate one after the other.
const MIGRATION_LOCK = 7_204_185_331;

/**
 * Applies the pending migrations as the owner, each in its own database transaction.
 * @param migrations migrations of extensions, which run after the product's
 * @returns the names of the applied migrations
 * @throws OtherSchemaError if the database has another schema
 */
export function migrate(
  ownerUrl: string,
  migrations: readonly (new () => MigrationInterface)[] = listMigrations(),
): Promise<string[]> {
  const settings = { url: ownerUrl, poolSize: 1, applicationName: 'einvoice-migrate', isUnbounded: true };
  return withRunner(createDataSource({ ...settings, migrations }), async (runner, dataSource) => {
    // Limits of the owner's role must not stop a migration.
    await runner.query('SET statement_timeout = 0');
    await runner.query('SET idle_in_transaction_session_timeout = 0');
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await assertBaseline(runner);
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    return (await executor.executePendingMigrations()).map(({ name }) => name);
  });
}

async function withRunner<T>(
  dataSource: DataSource,
  work: (runner: QueryRunner, dataSource: DataSource) => Promise<T>,
): Promise<T> {
  await dataSource.initialize();
  const runner = dataSource.createQueryRunner();
  try {
    return await work(runner, dataSource);
  } finally {
    await runner.release();
    await dataSource.destroy();
  }
}
