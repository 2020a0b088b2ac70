import { ERROR_CODES, type ErrorCode } from './error-codes.js';
import type { ErrorCodeEntry, Operation } from './explanation.js';

/** Lists the errors of an operation with a given status. */
export function listErrors(operation: Operation, status: number): (ErrorCodeEntry & { code: ErrorCode })[] {
  return Object.entries<ErrorCodeEntry>(ERROR_CODES)
    .map(([code, entry]) => ({ code: code as ErrorCode, ...entry }))
    .filter((entry) => entry.status === status && (entry.operations?.includes(operation) ?? true));
}

/** Lists the statuses of errors specific to an operation. */
export function listErrorStatuses(operation: Operation): number[] {
  const own = Object.values<ErrorCodeEntry>(ERROR_CODES).filter(({ operations }) => operations?.includes(operation));
  return [...new Set(own.map(({ status }) => status))];
}
