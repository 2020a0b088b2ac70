import type { ErrorCode } from './error-codes.js';
import { type Problem, findDocumentIndex, toSentence } from './problem.js';

export type ErrorHeaders = Readonly<Record<string, string>>;

/**
 * A response other than success. It knows its status and its public body; the error filter only writes it out, and
 * whatever is not an ApiError is a logged 500 that says nothing.
 */
export abstract class ApiError extends Error {
  abstract readonly status: number;
  /**
   * Stable, snake_case, from the catalogue of the docs (docs/rules.md#error-responses), or from the dashboard's own.
   */
  abstract readonly code: string;
  readonly headers: ErrorHeaders = {};

  /** Members of the response other than `message`, `code` and `requestId`. */
  details(): Record<string, unknown> {
    return {};
  }
}

/** What Fastify and Nest themselves refuse: route, media type, size, syntax (docs/rules.md#error-responses). */
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

/** The most problems that one response lists (docs/rules.md#body-rules). */
export const PROBLEMS_MAX = 500;

/** 400: the body breaks rules; every one of them is named (docs/rules.md#body-rules). */
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

/** Unknown and foreign are the same response, so that nobody learns what another tenant has. */
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

/** 503: nothing was decided; the same request may be repeated. */
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
