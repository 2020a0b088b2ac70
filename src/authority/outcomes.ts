import type { AuthorityError } from './authority-errors.js';
import type { AuthorityApi } from './call-limits.js';
import type { AcceptedDocument, DocumentDetails, DocumentSummary, PartialSummary, RejectedDocument } from './wire.js';

/** Only `unavailable` calls were certainly not processed. Look up an `unknown` call before repeating it. */

/** Not processed. May be repeated later. */
export interface Unavailable {
  readonly kind: 'unavailable';
  /** `edge`: a server in front of the API responded. `response`: a read received no usable response. */
  readonly cause: 'not-sent' | 'edge' | 'response';
  readonly reason: string;
  readonly retryAfterSeconds: number | null;
}

export interface Throttled {
  readonly kind: 'throttled';
  readonly api: AuthorityApi;
  readonly retryAfterSeconds: number;
  /** The tenant has used up its share of the budget (docs/decisions/0084-shares-of-authority-calls.md). */
  readonly isShareUsedUp?: true;
}

/** Not processed: the authority returned 401 even with a new token. */
export interface Unauthorized {
  readonly kind: 'unauthorized';
}

/** Not processed: the intermediary may not act for the taxpayer (403). */
export interface Forbidden {
  readonly kind: 'forbidden';
  readonly errors: readonly AuthorityError[];
}

/** Not processed: the authority refuses the supplier's TIN, login or state, regardless of the documents. */
export interface SupplierRefused {
  readonly kind: 'supplier-refused';
  readonly errors: readonly AuthorityError[];
}

export interface Refused {
  readonly kind: 'refused';
  readonly errors: readonly AuthorityError[];
}

/** Possibly processed: a timeout, a connection reset, a 5xx or an unreadable response. */
export interface Unknown {
  readonly kind: 'unknown';
  readonly reason: string;
}

/** Not processed: the taxpayer has not appointed the intermediary, or has ended the appointment. */
interface NotAppointed {
  readonly kind: 'not-appointed';
  readonly errors: readonly AuthorityError[];
  readonly isPaused?: true;
}

interface ClientRefused {
  readonly kind: 'client-refused';
}

export type LoginFailure = NotAppointed | ClientRefused | Throttled | Unavailable;

export interface SubmitAccepted {
  readonly kind: 'accepted';
  /** Null if every document was rejected. */
  readonly submissionUid: string | null;
  readonly accepted: readonly AcceptedDocument[];
  readonly rejected: readonly RejectedDocument[];
}

/** 422: the authority received an identical call within the last ten minutes. Look it up. */
interface Duplicate {
  readonly kind: 'duplicate';
  readonly retryAfterSeconds: number;
}

export type SubmitResult =
  | SubmitAccepted
  | Duplicate
  | (Refused & { readonly status: number })
  | SupplierRefused
  | Forbidden
  | Unauthorized
  | Throttled
  | Unavailable
  | Unknown;
export type SubmitOutcome = SubmitResult | LoginFailure;

export type ProbeResult = { readonly kind: 'reachable' } | Throttled | Unavailable | Unknown;
export type ProbeOutcome = ProbeResult | LoginFailure;

export type ReadFailure = Refused | Forbidden | Unauthorized | Throttled | Unavailable;

export type SubmissionResult =
  | { readonly kind: 'found'; readonly documents: readonly DocumentSummary[] }
  | { readonly kind: 'not-yet' }
  | ReadFailure;
export type SubmissionOutcome = SubmissionResult | LoginFailure;

export type DetailsResult =
  ({ readonly kind: 'found' } & DocumentDetails) | { readonly kind: 'not-found' } | ReadFailure;
export type DetailsOutcome = DetailsResult | LoginFailure;

export type RawResult =
  { readonly kind: 'found'; readonly text: string } | { readonly kind: 'not-found' } | ReadFailure;
export type RawOutcome = RawResult | LoginFailure;

export type SearchResult =
  { readonly kind: 'page'; readonly rows: readonly PartialSummary[]; readonly totalPages: number } | ReadFailure;
export type SearchOutcome = SearchResult | LoginFailure;

export interface CancelRefused {
  readonly kind: 'refused';
  readonly code: string | null;
  readonly message: string;
  readonly errors: readonly AuthorityError[];
}

export type CancelResult =
  { readonly kind: 'cancelled' } | CancelRefused | Forbidden | Unauthorized | Throttled | Unavailable | Unknown;
export type CancelOutcome = CancelResult | LoginFailure;

export type TinResult =
  { readonly kind: 'valid' } | { readonly kind: 'invalid' } | Forbidden | Unauthorized | Throttled | Unavailable;
export type TinOutcome = TinResult | LoginFailure;

/** The authority's support needs the correlation id. */
export type Traced<Outcome> = Outcome & { readonly correlationId: string | null };

export type Dated<Outcome> = Outcome & { readonly date: Date | null };
