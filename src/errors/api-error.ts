import type { ErrorCode } from './error-codes.js';
import { type Problem, documentIndexOf, sentenceOf } from './problem.js';

export type AnswerHeaders = Readonly<Record<string, string>>;

/**
 * An answer other than success. It knows its status and its public body; the error filter only writes it out, and
 * whatever is not an ApiError is a logged 500 that says nothing.
 */
export abstract class ApiError extends Error {
  abstract readonly status: number;
  /** Stable, snake_case, from the catalogue of the docs (D14), or from the dashboard's own. */
  abstract readonly code: string;
  readonly headers: AnswerHeaders = {};

  /** Members of the answer beside `message`, `code` and `requestId`. */
  details(): Record<string, unknown> {
    return {};
  }
}

/** What Fastify and Nest themselves refuse: route, media type, size, syntax (D14). */
export class HttpProtocolError extends ApiError {
  constructor(
    readonly status: number,
    readonly code: ErrorCode,
    message: string,
    override readonly headers: AnswerHeaders = {},
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

/** The most problems that one answer lists (D4). */
export const PROBLEMS_MAX = 500;

/** 400: the body breaks rules; every one of them is named (D4). */
export class ValidationError extends ApiError {
  readonly status = 400;
  readonly code = 'validation_failed';

  constructor(
    readonly problems: readonly Problem[],
    private readonly referenceIdAt: (documentIndex: number) => string | null = () => null,
  ) {
    super(sentenceOf(problems[0]));
  }

  override details(): Record<string, unknown> {
    const listed = this.problems.slice(0, PROBLEMS_MAX);
    return {
      errors: listed.map(sentenceOf),
      details: listed.map((problem) => {
        const documentIndex = documentIndexOf(problem.pointer);
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

export class IdempotencyKeyInvalidError extends ApiError {
  readonly status = 400;
  readonly code = 'idempotency_key_invalid';

  constructor() {
    super('The idempotency-key header is required once, with 1 to 255 visible ASCII characters (max 255 characters)');
  }
}

export class IdempotencyKeyReusedError extends ApiError {
  readonly status = 409;
  readonly code = 'idempotency_key_reused';

  constructor() {
    super('This idempotency-key was used with a different body; a changed request needs a new key');
  }
}

export class IdempotencyKeyInProgressError extends ApiError {
  readonly status = 409;
  readonly code = 'idempotency_key_in_progress';
  override readonly headers = { 'Retry-After': '1' };

  constructor() {
    super('A request with this idempotency-key is being processed; retry with the same key and body');
  }
}

export class SupplierProfileIncompleteError extends ApiError {
  readonly status = 400;
  readonly code = 'supplier_profile_incomplete';

  constructor(private readonly missing: readonly string[]) {
    super(`The organisation's supplier profile is incomplete: ${missing.join(', ')} missing`);
  }

  override details(): Record<string, unknown> {
    return { missing: this.missing, errors: [this.message] };
  }
}

/** 400: nobody has found the organisation to be who its TIN belongs to; the message says where that stands. */
export class SupplierNotVerifiedError extends ApiError {
  readonly status = 400;
  readonly code = 'supplier_not_verified';

  constructor(
    message: string,
    private readonly verification: { readonly status: string; readonly reason: string | null },
  ) {
    super(message);
  }

  override details(): Record<string, unknown> {
    const { status, reason } = this.verification;
    return { verification: { status, reason }, errors: [this.message] };
  }
}

export interface DocumentConflict {
  readonly documentType: string;
  readonly referenceId: string;
  readonly submissionStatus: string;
  readonly authorityStatus: string | null;
  readonly documentId: string;
  readonly submissionBatchId: string;
}

/** A document of the request that exists already. */
export interface Duplicate {
  readonly documentIndex: number;
  readonly existing: DocumentConflict;
}

export class DuplicateDocumentError extends ApiError {
  readonly status = 409;
  readonly code = 'duplicate_document';

  /** @param duplicates in request order, at least one */
  constructor(private readonly duplicates: readonly Duplicate[]) {
    super('Document already exists and cannot be resubmitted');
  }

  /** The existing document of the first, and all of them as details. */
  override details(): Record<string, unknown> {
    return { ...this.duplicates[0].existing, details: this.duplicates.map(detailOf) };
  }
}

function detailOf({ documentIndex, existing }: Duplicate): Record<string, unknown> {
  const { documentType, authorityStatus, submissionStatus, submissionBatchId } = existing;
  return {
    pointer: `/documents/${documentIndex}/referenceId`,
    documentIndex,
    rule: 'duplicate_document',
    message: `is the number of an existing ${documentType}, which is ${authorityStatus ?? submissionStatus}`,
    hint: `follow the existing one in batch ${submissionBatchId}, and take this one out of the request`,
    ...existing,
  };
}

export interface CreditShortage {
  readonly requiredCredits: number;
  readonly remainingCredits: number;
  readonly documentCount: number;
}

export class InsufficientCreditsError extends ApiError {
  readonly status = 402;
  readonly code = 'insufficient_credits';
  override readonly headers: AnswerHeaders;

  constructor(private readonly shortage: CreditShortage) {
    super('Insufficient prepaid credits');
    this.headers = { 'X-Credits-Remaining': String(shortage.remainingCredits) };
  }

  override details(): Record<string, unknown> {
    const { requiredCredits, remainingCredits, documentCount } = this.shortage;
    return { requiredCredits, remainingCredits, shortBy: requiredCredits - remainingCredits, documentCount };
  }
}

/** Unknown and foreign are the same answer, so that nobody learns what another tenant has. */
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

/** 409s of cancel (D11), each with what the caller needs to decide. */
export class CancellationConflictError extends ApiError {
  readonly status = 409;

  constructor(
    readonly code:
      'document_not_valid' | 'cancellation_in_progress' | 'cancellation_window_closed' | 'active_referencing_documents',
    message: string,
    private readonly facts: Record<string, unknown>,
  ) {
    super(message);
  }

  override details(): Record<string, unknown> {
    return this.facts;
  }
}

/** 503: nothing was decided; the same request may be repeated. */
export class UnavailableError extends ApiError {
  readonly status = 503;
  override readonly headers: AnswerHeaders;

  constructor(
    readonly code: ErrorCode,
    message: string,
    retryAfterSeconds: number,
  ) {
    super(message);
    this.headers = { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))) };
  }
}
