import { type ApiError, HttpProtocolError, ValidationError } from './api-error.js';
import { buildErrorBody } from './error-body.js';
import { ERROR_CODES } from './error-codes.js';
import type { Operation } from './explanation.js';
import { listErrors } from './operation-errors.js';

const REQUEST_ID = '019a8b5e-7c1f-7000-8000-000000000009';

/** Examples for every operation that does not define the example of a code itself. */
const COMMON_EXAMPLES: readonly ApiError[] = [
  new HttpProtocolError(500, 'internal_error', 'Internal error'),
  new ValidationError([
    {
      pointer: '/verbose',
      rule: 'parameter_unknown',
      message: 'is not a known query parameter',
      hint: 'leave it out: this operation has no query parameters',
    },
  ]),
];

/**
 * An example body of every error that an operation responds with, by status, by its code.
 * @param known made by the classes that respond with them, so that an example has the members of the response
 */
export function buildErrorExamples(
  operation: Operation,
  status: number,
  known: readonly ApiError[],
): Record<string, { value: object }> {
  const errors = listErrors(operation, status).map(
    ({ code, meaning }) =>
      [...known, ...COMMON_EXAMPLES].find((error) => error.code === code) ??
      // What has no class has nothing but its text either.
      new HttpProtocolError(ERROR_CODES[code].status, code, meaning),
  );
  return Object.fromEntries(
    errors.map((error) => {
      const { code, message } = error;
      return [code, { value: buildErrorBody({ message, code, requestId: REQUEST_ID }, error.details()) }];
    }),
  );
}
