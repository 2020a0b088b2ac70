import type { AuthorityError } from './authority-errors.js';
import type { AuthorityApi } from './call-limits.js';
import type { AcceptedDocument, DocumentDetails, DocumentSummary, PartialSummary, RejectedDocument } from './wire.js';

/**
 * What became of a call. Three endings must never be confused: refused (the authority says no), `unavailable`
 * (certainly not taken: the same call may be repeated) and `unknown` (it may have been taken: look before repeating).
 */

/** The call was not taken, and the same call may be repeated later. */
export interface Unavailable {
  readonly kind: 'unavailable';
  /**
   * `not-sent`: no byte left this machine. `edge`: something before the authority's API responded instead, such as
   * a maintenance page; an edge may also dislike one certain body, so a submit that meets it again and again should be
   * split. `response`: a read got no usable response; for a read it never matters whether it arrived.
   */
  readonly cause: 'not-sent' | 'edge' | 'response';
  readonly reason: string;
  readonly retryAfterSeconds: number | null;
}

/** Not taken: too many calls, or no call left in the shared budget of the login. */
export interface Throttled {
  readonly kind: 'throttled';
  /** Whose budget is used up; `login` concerns this taxpayer only. */
  readonly api: AuthorityApi;
  readonly retryAfterSeconds: number;
  /** The tenant has used up its own share of the budget (docs/decisions/0084-shares-of-authority-calls.md). */
  readonly isShareUsedUp?: true;
}

/** Not taken: 401 also with a token that was fetched for this very call. */
export interface Unauthorized {
  readonly kind: 'unauthorized';
}

/** Not taken: the intermediary may not do this for the taxpayer (403). */
export interface Forbidden {
  readonly kind: 'forbidden';
  readonly errors: readonly AuthorityError[];
}

/** Not taken: the supplier's TIN, its login or its state is refused, whatever documents the call carries. */
export interface SupplierRefused {
  readonly kind: 'supplier-refused';
  readonly errors: readonly AuthorityError[];
}

/** The authority says no to this call as it is; repeating it changes nothing. */
export interface Refused {
  readonly kind: 'refused';
  readonly errors: readonly AuthorityError[];
}

/** It may have been taken: a time-out, a cut connection, a 5xx or an unreadable response. */
export interface Unknown {
  readonly kind: 'unknown';
  readonly reason: string;
}

/** Not taken: the login on behalf was refused; the taxpayer has not appointed the intermediary, or no longer. */
interface NotAppointed {
  readonly kind: 'not-appointed';
  readonly errors: readonly AuthorityError[];
  /** The authority was not asked again: it refused less than a minute ago, and what it said is with that response. */
  readonly isPaused?: true;
}

/** Not taken: our own client id or secret is refused. It stops every tenant, until an operator fixes it. */
interface ClientRefused {
  readonly kind: 'client-refused';
}

/** Why there is no token for a call; the call itself was then never made. */
export type LoginFailure = NotAppointed | ClientRefused | Throttled | Unavailable;

export interface SubmitAccepted {
  readonly kind: 'accepted';
  /** Null when every document was rejected. */
  readonly submissionUid: string | null;
  readonly accepted: readonly AcceptedDocument[];
  readonly rejected: readonly RejectedDocument[];
}

/** 422: the authority has had exactly this call in the last ten minutes. The first one arrived: search for it. */
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

/** What a submit without documents tells: whether the API responds again. */
export type ProbeResult = { readonly kind: 'reachable' } | Throttled | Unavailable | Unknown;
export type ProbeOutcome = ProbeResult | LoginFailure;

/** What every read can end in, other than what was asked for. */
export type ReadFailure = Refused | Forbidden | Unauthorized | Throttled | Unavailable;

/** `not-yet` is a 404: normal in the first two minutes after the submit. */
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

/**
 * A refusal of a cancellation; `code` such as `OperationPeriodOver`, `IncorrectState`, `ActiveReferencingDocuments`.
 */
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

/** An outcome with the authority's trace id, which its support asks for; null when there was no response. */
export type Traced<Outcome> = Outcome & { readonly correlationId: string | null };

/** An outcome with the date of its response by the authority's clock; null if the response states none. */
export type Dated<Outcome> = Outcome & { readonly date: Date | null };
