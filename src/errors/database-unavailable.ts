// Connection failures of the pool, where the name of a stopped container is not known any more; PostgreSQL that is starting, stopping, out of connections or of disk, or takes no
// writes; a statement or an idle transaction that it ended because it took too long.
const CODES =
  /^(?:ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|57014|57P0[1-3]|25006|25P03|53\w{3}|08\w{3})$/;

// A connection was lost between two statements of a database transaction, as when PostgreSQL ends an idle one. TypeORM
// then releases it, and fails every later statement with one of these errors.
const NAMES = /^QueryRunner(?:Provider)?AlreadyReleasedError$/;

/** Causes of the errors of the driver that have no code. */
const CAUSES_BY_MESSAGE: readonly (readonly [message: RegExp, cause: string])[] = [
  [/^timeout exceeded when trying to connect/, 'no database connection was free'],
  [/^Query read timeout/, 'the database did not respond'],
  [/^(?:Connection terminated|Client (?:has encountered|was closed))/, 'the database connection was lost'],
];

/**
 * Whether an error says that the database could not be reached, and nothing about the call. Its transaction has not
 * happened; or, when the connection was lost during its COMMIT or the wait for its replication was cancelled, a retry with the same
 * key finds out.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && CODES.test(String(error.code))) return true;
  return findConnectionCause(error) !== null;
}

/** Finds why the driver got no response; null for an error with a code or another error. */
export function findConnectionCause({ name, message }: Error): string | null {
  if (NAMES.test(name)) return 'the database connection was lost';
  return CAUSES_BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1] ?? null;
}

const DISK_FULL = '53100';

/** Whether PostgreSQL could not write for want of disk: what it was asked for has not happened. */
export function isDiskFull(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === DISK_FULL;
}
