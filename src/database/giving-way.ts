import { setTimeout as wait } from 'node:timers/promises';
import { QueryFailedError, type QueryRunner } from 'typeorm';

// A statement that waits for a table's lock has all later ones wait behind it. So it gives way before anybody would
// notice, and before PostgreSQL would take a deadlock of ours and a client's for the client's fault, and tries again.
const LOCK_TIMEOUT_MS = 500;
const RETRY_MS = 250;
const TRIES_MAX = 200;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

const BUSY =
  'Some statement or transaction keeps a table that the migration needs: find it in pg_stat_activity, end it, and run ' +
  'the migration again. It goes on where it was.';

/**
 * Does a part of a migration, from its start, until nothing keeps what it needs; each try under the time limit for locks,
 * which an index that is made concurrently takes away.
 * @throws Error when something keeps it all the time
 */
export function givingWay<T>(runner: QueryRunner, work: () => Promise<T>): Promise<T> {
  return retryWhileBlocked(async () => {
    await runner.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
    return work();
  });
}

/** The same under whatever limit there is. What has tried often enough is not tried again by what it is a part of. */
export async function retryWhileBlocked<T>(work: () => Promise<T>, triesMax = TRIES_MAX): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isBlocked(error)) throw error;
      if (tries === triesMax) throw new StillBlockedError(BUSY, { cause: error });
    }
    await wait(RETRY_MS);
  }
}

class StillBlockedError extends Error {}

function isBlocked(error: unknown): boolean {
  if (error instanceof StillBlockedError) return false;
  if (error instanceof QueryFailedError) {
    const { code } = error.driverError as { code?: string };
    return code === LOCK_NOT_AVAILABLE || code === DEADLOCK;
  }
  return error instanceof Error && error.cause !== undefined && isBlocked(error.cause);
}
