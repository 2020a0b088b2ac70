import type { AuthorityStatus, DocumentSubmissionStatus, DocumentType, Open, Problem } from './types.js';

/** The codes of the service (docs/errors.md) that a client can meet. */
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

/** The codes of what this client finds by itself. */
export type ClientErrorCode =
  /** No response, or none that can be read, to any attempt. */
  | 'response_lost'
  /** A response that is not of this service: `baseUrl` is wrong, or a proxy responded. */
  | 'response_unexpected'
  /** The outcome of a batch did not come in the time that the caller gave. */
  | 'outcome_timeout'
  /** A document is twice in the list. */
  | 'document_repeated'
  /** The list is not the one that the run began with. */
  | 'run_changed'
  /** The run may have keys that the service has forgotten. */
  | 'run_expired'
  /** An entry of the store is not what this client wrote. */
  | 'store_unreadable';

export type KnownErrorCode = ServiceErrorCode | ClientErrorCode;
/** New codes may be added to the service. */
export type ErrorCode = Open<KnownErrorCode>;

export interface ErrorBody {
  message: string;
  code: string;
  requestId: string;
  /** Path of the code's page on the service's host. */
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

/** The existing document that keeps a new one from being accepted. */
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

/** Every failure of a call but its abort, which rejects with the signal's reason. `hasCode` tells them apart. */
export class EInvoiceError<Code extends string = ErrorCode, Body = ErrorBody | null> extends Error {
  override readonly name: string = 'EInvoiceError';
  readonly code: Code;
  /** Of the last response; null without one. */
  readonly status: number | null;
  /** Of the service's last response. */
  readonly body: Body;
  /** Quote it to the operator of the service. */
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  /** The key that was sent: the same call with this key is a safe repeat. */
  readonly idempotencyKey: string | null;
  /** Whether the request may have been accepted: repeat it with `idempotencyKey`, never with a new key. */
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

/** Whether something that was thrown is the error with this code, whose `body` then has its type. */
export function hasCode<Code extends KnownErrorCode>(
  error: unknown,
  code: Code,
): error is EInvoiceError<Code, BodyOf<Code>> {
  return error instanceof EInvoiceError && error.code === code;
}
