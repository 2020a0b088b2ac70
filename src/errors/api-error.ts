import type { ErrorCode } from './error-codes.js';
import { type Problem, findDocumentIndex, toSentence } from './problem.js';

export type ErrorHeaders = Readonly<Record<string, string>>;

/**
 * An error response with a status and a public body. The error filter logs any other exception and
 * responds with a generic 500.
 */
export abstract class ApiError extends Error {
  abstract readonly status: number;
  /** Stable snake_case code from error-codes.ts (docs/rules.md#error-responses) or dashboard-errors.ts. */
  abstract readonly code: string;
  readonly headers: ErrorHeaders = {};

  /** Additional members of the body. */
  details(): Record<string, unknown> {
    return {};
  }
}

/** Errors of Fastify and Nest: route, media type, size, syntax (docs/rules.md#error-responses). */
export class HttpProtocolError extends ApiError {
  constructor(
    readonly status: number,
    readonly code: ErrorCode,
    message: string,
    override readonly headers: ErrorHeaders = {},
  ) {
    super(message);
  }
}

export type ApiKeyErrorCode =
  'api_key_missing' | 'api_key_invalid' | 'api_key_expired' | 'api_key_revoked' | 'api_key_wrong_environment';

export class ApiKeyError extends ApiError {
  readonly status = 401;
  override readonly headers = { 'WWW-Authenticate': 'Bearer' };

  constructor(
    readonly code: ApiKeyErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** Maximum number of problems per response (docs/rules.md#body-rules). */
export const PROBLEMS_MAX = 500;

/** 400 with all broken rules of the body (docs/rules.md#body-rules). */
export class ValidationError extends ApiError {
  readonly status = 400;
  readonly code = 'validation_failed';

  constructor(
    readonly problems: readonly Problem[],
    private readonly referenceIdAt: (documentIndex: number) => string | null = () => null,
  ) {
    super(toSentence(problems[0]));
  }

  override details(): Record<string, unknown> {
    const listed = this.problems.slice(0, PROBLEMS_MAX);
    return {
      errors: listed.map(toSentence),
      details: listed.map((problem) => {
        const documentIndex = findDocumentIndex(problem.pointer);
        return {
          pointer: problem.pointer,
          documentIndex,
          referenceId: documentIndex === null ? null : this.referenceIdAt(documentIndex),
          rule: problem.rule,
          message: problem.message,
          hint: problem.hint ?? null,
        };
      }),
    };
  }
}

/** 404 for unknown ids and for those of other tenants, so that the response does not reveal which ids exist. */
export class NotFoundError extends ApiError {
  readonly status = 404;
  readonly code: ErrorCode;

  constructor(what: 'submission batch' | 'document') {
    super(`No such ${what} for this key`);
    this.code = what === 'document' ? 'document_not_found' : 'submission_batch_not_found';
  }
}

export class BadRequestError extends ApiError {
  readonly status = 400;

  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** 503: the request had no effect and may be repeated. */
export class UnavailableError extends ApiError {
  readonly status = 503;
  override readonly headers: ErrorHeaders;

  constructor(
    readonly code: ErrorCode,
    message: string,
    retryAfterSeconds: number,
  ) {
    super(message);
    this.headers = { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))) };
  }
}
