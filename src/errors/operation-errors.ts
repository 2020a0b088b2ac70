import { ERROR_CODES, type ErrorCode } from './error-codes.js';
import type { ErrorCodeEntry, Operation } from './explanation.js';

/** The errors that an operation responds with, by status, each with its code. */
export function listErrors(operation: Operation, status: number): (ErrorCodeEntry & { code: ErrorCode })[] {
  return Object.entries<ErrorCodeEntry>(ERROR_CODES)
    .map(([code, entry]) => ({ code: code as ErrorCode, ...entry }))
    .filter((entry) => entry.status === status && (entry.operations?.includes(operation) ?? true));
}

/** The statuses of an operation's own errors, in addition to those that every call can meet. */
export function listErrorStatuses(operation: Operation): number[] {
  const own = Object.values<ErrorCodeEntry>(ERROR_CODES).filter(({ operations }) => operations?.includes(operation));
  return [...new Set(own.map(({ status }) => status))];
}
