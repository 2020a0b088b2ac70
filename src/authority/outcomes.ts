import type { AuthorityError } from './authority-errors.js';
import type { AuthorityApi } from './call-limits.js';
import type { AcceptedDocument, DocumentDetails, DocumentSummary, PartialSummary, RejectedDocument } from './wire.js';

/**
 * Outcome of a call. Three outcomes must never be confused: refused (by the authority), `unavailable` (not processed:
 * the call may be repeated) and `unknown` (possibly processed: look it up before a repeat).
 */

/** Not processed; the call may be repeated later. */
export interface Unavailable {
  readonly kind: 'unavailable';
  /**
   * `edge`: a server before the authority's API responded, for example with a maintenance page. An edge may reject
   * certain bodies, so a submit rejected repeatedly should be split. `response`: a read without a usable response.
   */
  readonly cause: 'not-sent' | 'edge' | 'response';
  readonly reason: string;
  readonly retryAfterSeconds: number | null;
}

/** Not processed: too many calls, or no call left in the shared login budget. */
export interface Throttled {
  readonly kind: 'throttled';
  /** The API whose budget is used up. `login` concerns this taxpayer only. */
  readonly api: AuthorityApi;
  readonly retryAfterSeconds: number;
  /** The tenant has used up its own share of the budget (docs/decisions/0084-shares-of-authority-calls.md). */
  readonly isShareUsedUp?: true;
}

/** Not processed: the authority returned 401 even for a new token. */
export interface Unauthorized {
  readonly kind: 'unauthorized';
}

/** Not processed: the intermediary may not act for the taxpayer (403). */
export interface Forbidden {
  readonly kind: 'forbidden';
  readonly errors: readonly AuthorityError[];
}

/** Not processed: the supplier's TIN, login or state is refused, regardless of the documents in the call. */
export interface SupplierRefused {
  readonly kind: 'supplier-refused';
  readonly errors: readonly AuthorityError[];
}

/** The authority refused this call, and repeating it would have the same result. */
export interface Refused {
  readonly kind: 'refused';
  readonly errors: readonly AuthorityError[];
}

/** The call may have been processed: a timeout, a connection reset, a 5xx or an unreadable response. */
export interface Unknown {
  readonly kind: 'unknown';
  readonly reason: string;
}

/** Not processed: the taxpayer has not appointed the intermediary, or has ended the appointment. */
interface NotAppointed {
  readonly kind: 'not-appointed';
  readonly errors: readonly AuthorityError[];
  /** The authority was not called again because it refused this login less than a minute ago. */
  readonly isPaused?: true;
}

/** Not processed: our client id or secret is refused. This stops all tenants until an operator corrects it. */
interface ClientRefused {
  readonly kind: 'client-refused';
}

/** Why there is no token. The call itself was then not sent. */
export type LoginFailure = NotAppointed | ClientRefused | Throttled | Unavailable;

export interface SubmitAccepted {
  readonly kind: 'accepted';
  /** Null if every document was rejected. */
  readonly submissionUid: string | null;
  readonly accepted: readonly AcceptedDocument[];
  readonly rejected: readonly RejectedDocument[];
}

/** 422: the authority received an identical call in the last ten minutes. The first call arrived, so look it up. */
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

/** Outcomes common to all reads, besides the result. */
export type ReadFailure = Refused | Forbidden | Unauthorized | Throttled | Unavailable;

/** `not-yet` is a 404, which is normal in the first two minutes after a submit. */
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

/** `code` is, for example, `OperationPeriodOver`, `IncorrectState` or `ActiveReferencingDocuments`. */
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

/** An outcome with the correlation id that the authority's support asks for. Null if there was no response. */
export type Traced<Outcome> = Outcome & { readonly correlationId: string | null };

/** An outcome with the response's date on the authority's clock. Null if the response has none. */
export type Dated<Outcome> = Outcome & { readonly date: Date | null };
