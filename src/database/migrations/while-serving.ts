import type { QueryRunner } from 'typeorm';
import { retryWhileBlocked } from '../giving-way.js';

/** What migrations without their own transaction use, so that the build before goes on serving meanwhile. */

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/**
 * Runs a statement for one batch of rows after the other, each in its own transaction, so that no row stays locked.
 * @param statement takes the tenant and the id of the last row before, and gives those of the last row it handled, or
 * no row
 */
export async function inBatches(runner: QueryRunner, statement: string): Promise<void> {
  for (let last: { tenantId: string; id: string } | undefined = { tenantId: NIL_UUID, id: NIL_UUID }; last;) {
    const after = [last.tenantId, last.id];
    // What keeps one batch from its rows does not undo those before it.
    [last] = (await retryWhileBlocked(() => runner.query(statement, after))) as { tenantId: string; id: string }[];
  }
}

const IS_INVALID = /* sql */ `
  SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid`;

/** Makes a unique index while its table is written. One that an earlier run did not finish is built again. */
export function uniqueIndex(runner: QueryRunner, name: string, { on }: { on: string }): Promise<void> {
  return build(runner, name, `CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${on}`);
}

/** The same for an index that is not unique. */
export function index(runner: QueryRunner, name: string, { on }: { on: string }): Promise<void> {
  return build(runner, name, `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${on}`);
}

async function build(runner: QueryRunner, name: string, statement: string): Promise<void> {
  const unfinished = (await runner.query(IS_INVALID, [name])) as unknown[];
  if (unfinished.length > 0) await runner.query(`DROP INDEX CONCURRENTLY ${name}`);
  // It waits for the transactions that are under way, and keeps nobody waiting.
  await runner.query(`SET lock_timeout = 0`);
  await runner.query(statement);
}
