// Connection failures of the pool, where the name of a stopped container is not known any more; PostgreSQL that is starting, stopping, out of connections or of disk, or takes no
// writes; a statement or an idle transaction that it ended because it took too long.
const CODES =
  /^(?:ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|57014|57P0[1-3]|25006|25P03|53\w{3}|08\w{3})$/;

const MESSAGES =
  /^(?:Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client (?:has encountered|was closed))/;

// A connection was lost between two statements of a transaction, as when PostgreSQL ends one that idles; TypeORM then
// lets go of it, and of every later statement says only that it has.
const NAMES = /^QueryRunner(?:Provider)?AlreadyReleasedError$/;

/**
 * Whether an error says that the database could not be reached, and nothing about the call. Its transaction has not
 * happened; or, when the connection was lost during its COMMIT or the wait for its replication was cancelled, a retry with the same
 * key finds out.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && CODES.test(String(error.code))) return true;
  return MESSAGES.test(error.message) || NAMES.test(error.name);
}

const DISK_FULL = '53100';

/** Whether PostgreSQL could not write for want of disk: what it was asked for has not happened. */
export function isDiskFull(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === DISK_FULL;
}
