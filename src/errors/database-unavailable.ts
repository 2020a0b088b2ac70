// Connection failures, including the unknown host name of a stopped container; a server that is starting, stopping,
// read-only, or out of connections or disk space; timeouts of statements and idle transactions.
const CODES =
  /^(?:ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|57014|57P0[1-3]|25006|25P03|53\w{3}|08\w{3})$/;

// Errors of TypeORM after it has released a connection that was lost between two statements.
const NAMES = /^QueryRunner(?:Provider)?AlreadyReleasedError$/;

/** Causes of driver errors without a code. */
const CAUSES_BY_MESSAGE: readonly (readonly [message: RegExp, cause: string])[] = [
  [/^timeout exceeded when trying to connect/, 'no database connection was free'],
  [/^Query read timeout/, 'the database did not respond'],
  [/^(?:Connection terminated|Client (?:has encountered|was closed))/, 'the database connection was lost'],
];

/**
 * Returns whether the database was unreachable. The transaction was not committed, unless the connection was lost
 * during COMMIT or the wait for replication was cancelled. A retry with the same idempotency key is safe in both cases.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && CODES.test(String(error.code))) return true;
  return findConnectionCause(error) !== null;
}

/** Returns the cause of a driver error without a code, or null. */
export function findConnectionCause({ name, message }: Error): string | null {
  if (NAMES.test(name)) return 'the database connection was lost';
  return CAUSES_BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1] ?? null;
}

const DISK_FULL = '53100';

export function isDiskFull(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === DISK_FULL;
}
