import type { AuthorityStatus, DocumentSubmissionStatus, DocumentType, Open, Problem } from './types.js';

/** Error codes of the service (docs/errors.md). */
export type ServiceErrorCode =
  | 'validation_failed'
  | 'malformed_json'
  | 'idempotency_key_invalid'
  | 'supplier_profile_incomplete'
  | 'supplier_not_verified'
  | 'submission_batch_id_invalid'
  | 'taxpayer_id_required'
  | 'bad_request'
  | 'malformed_request'
  | 'malformed_uri'
  | 'api_key_missing'
  | 'api_key_invalid'
  | 'api_key_expired'
  | 'api_key_revoked'
  | 'api_key_wrong_environment'
  | 'insufficient_credits'
  | 'document_not_found'
  | 'submission_batch_not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'duplicate_document'
  | 'idempotency_key_reused'
  | 'idempotency_key_in_progress'
  | 'document_not_valid'
  | 'cancellation_in_progress'
  | 'cancellation_window_closed'
  | 'active_referencing_documents'
  | 'body_too_large'
  | 'uri_too_long'
  | 'unsupported_media_type'
  | 'headers_too_large'
  | 'large_body_share_exceeded'
  | 'rate_limited'
  | 'too_many_concurrent_requests'
  | 'internal_error'
  | 'service_unavailable'
  | 'too_many_large_bodies'
  | 'large_body_not_processed'
  | 'not_appointed'
  | 'call_budget'
  | 'authority_unavailable';

/** Error codes of this client. */
export type ClientErrorCode =
  /** No attempt received a readable response. */
  | 'response_lost'
  /** The response is not from the service, because `baseUrl` is wrong or a proxy responded. */
  | 'response_unexpected'
  /** The batch had no outcome within the caller's timeout. */
  | 'outcome_timeout'
  /** The list contains a document twice. */
  | 'document_repeated'
  /** The list differs from the list that the run started with. */
  | 'run_changed'
  /** The service may have deleted idempotency keys of the run. */
  | 'run_expired'
  /** An entry in the store is malformed. */
  | 'store_unreadable';

export type KnownErrorCode = ServiceErrorCode | ClientErrorCode;
/** New codes may be added to the service. */
export type ErrorCode = Open<KnownErrorCode>;

export interface ErrorBody {
  message: string;
  code: string;
  requestId: string;
  /** Path of the documentation of the code on the service's host. */
  helpUrl: string;
}

export interface ValidationFailedBody extends ErrorBody {
  errors: string[];
  details: Problem[];
}

export interface InsufficientCreditsBody extends ErrorBody {
  requiredCredits: number;
  remainingCredits: number;
  shortBy: number;
  documentCount: number;
}

/** The existing document that prevents the acceptance of a new one. */
export interface ExistingDocument {
  documentType: DocumentType;
  referenceId: string | null;
  submissionStatus: DocumentSubmissionStatus;
  authorityStatus: AuthorityStatus | null;
  documentId: string;
  submissionBatchId: string;
}

export interface DuplicateDocumentBody extends ErrorBody, ExistingDocument {
  details: (Problem & ExistingDocument)[];
}

interface BodyByCode {
  validation_failed: ValidationFailedBody;
  supplier_profile_incomplete: ErrorBody & { missing: string[] };
  supplier_not_verified: ErrorBody & {
    verification: { status: Open<'unverified' | 'waiting' | 'refused'>; reason: string | null };
  };
  insufficient_credits: InsufficientCreditsBody;
  duplicate_document: DuplicateDocumentBody;
  document_not_valid: ErrorBody & {
    submissionStatus: DocumentSubmissionStatus;
    authorityStatus: AuthorityStatus | null;
  };
  cancellation_in_progress: ErrorBody & { transactionId: string };
  active_referencing_documents: ErrorBody & { referencingDocuments: string[] };
}

type BodyOf<Code extends string> = Code extends keyof BodyByCode
  ? BodyByCode[Code]
  : Code extends ClientErrorCode
    ? null
    : ErrorBody;

export interface ErrorFacts {
  readonly status?: number | null;
  readonly body?: unknown;
  readonly requestId?: string | null;
  readonly retryAfterSeconds?: number | null;
  readonly idempotencyKey?: string | null;
  readonly isOutcomeUnknown?: boolean;
  readonly cause?: unknown;
}

/** Failure of a call. An aborted call rejects with the signal's reason instead. Use `hasCode` to test for a code. */
export class EInvoiceError<Code extends string = ErrorCode, Body = ErrorBody | null> extends Error {
  override readonly name: string = 'EInvoiceError';
  readonly code: Code;
  /** Status of the last response, or null if there was none. */
  readonly status: number | null;
  /** Body of the service's last response. */
  readonly body: Body;
  /** Id of the request. State it in questions to the operator of the service. */
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  /** Key of the request. Repeating the same call with this key is safe. */
  readonly idempotencyKey: string | null;
  /** Whether the request may have been accepted. If so, repeat it with `idempotencyKey` and never with a new key. */
  readonly isOutcomeUnknown: boolean;

  constructor(code: Code, message: string, facts: ErrorFacts = {}) {
    super(message, { cause: facts.cause });
    this.code = code;
    this.status = facts.status ?? null;
    this.body = (facts.body ?? null) as Body;
    this.requestId = facts.requestId ?? null;
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
    this.idempotencyKey = facts.idempotencyKey ?? null;
    this.isOutcomeUnknown = facts.isOutcomeUnknown ?? false;
  }
}

/** Returns whether an error has this code, and narrows the type of its `body`. */
export function hasCode<Code extends KnownErrorCode>(
  error: unknown,
  code: Code,
): error is EInvoiceError<Code, BodyOf<Code>> {
  return error instanceof EInvoiceError && error.code === code;
}
