import { setTimeout as wait } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';

/** What migrations without a transaction of their own use, so that the build before goes on serving meanwhile. */

const NIL_UUID = '00000000-0000-0000-0000-000000000000';
const LOCK_SECONDS = 2;
const LOCK_TRIES_MAX = 60;
const LOCK_PAUSE_MS = 500;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs a statement that needs a table for itself. A statement that waits for such a lock makes everybody wait behind it:
 * so it gives up after two seconds, lets the others through and tries again.
 * @throws the database's error when the lock was never to be had
 */
export async function withShortLocks(runner: QueryRunner, statement: string): Promise<void> {
  await runner.query(`SET lock_timeout = '${LOCK_SECONDS}s'`);
  for (let tries = 1; ; tries += 1) {
    const error: unknown = await runner.query(statement).then(
      () => null,
      (reason: unknown) => reason,
    );
    if (error === null) break;
    if (!isLockTimeout(error) || tries === LOCK_TRIES_MAX) throw error;
    await wait(LOCK_PAUSE_MS);
  }
  await runner.query('SET lock_timeout = 0');
}

function isLockTimeout(error: unknown): boolean {
  const { driverError } = error as { driverError?: { code?: string } };
  return driverError?.code === LOCK_NOT_AVAILABLE;
}

/**
 * Runs a statement for one batch of rows after the other, each in a transaction of its own, so that no row stays locked.
 * @param statement takes the tenant and the id of the last row before, and gives those of its own last row, or no row
 */
export async function inBatches(runner: QueryRunner, statement: string): Promise<void> {
  for (let last: { tenantId: string; id: string } | undefined = { tenantId: NIL_UUID, id: NIL_UUID }; last;) {
    [last] = (await runner.query(statement, [last.tenantId, last.id])) as { tenantId: string; id: string }[];
  }
}

const IS_INVALID = /* sql */ `
  SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid`;

/** Makes a unique index while its table is written. One that an earlier run did not finish is made anew. */
export async function uniqueIndex(runner: QueryRunner, name: string, { on }: { on: string }): Promise<void> {
  const unfinished = (await runner.query(IS_INVALID, [name])) as unknown[];
  if (unfinished.length > 0) await runner.query(`DROP INDEX CONCURRENTLY ${name}`);
  await runner.query(`CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${on}`);
}
