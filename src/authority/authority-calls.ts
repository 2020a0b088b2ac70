import type { IdType } from '../documents/identity.js';
import type { CallTrace } from '../observability/tracing/tracing.js';
import type { CallSlot } from './call-budget.js';
import type { AuthorityApi } from './call-limits.js';
import type {
  CancelOutcome,
  Dated,
  DetailsOutcome,
  ProbeOutcome,
  RawOutcome,
  SearchOutcome,
  SubmissionOutcome,
  SubmitOutcome,
  TinOutcome,
  Traced,
} from './outcomes.js';
import type { Taxpayer } from './tokens.js';

export interface AuthorityCall<Api extends AuthorityApi> {
  readonly taxpayer: Taxpayer;
  readonly slot: CallSlot<Api>;
  /** On the `performance.now()` clock. Default: AUTHORITY_DEADLINE_SECONDS after the slot's time. */
  readonly deadlineAt?: number;
  /** Aborts the call: before the send the outcome is `unavailable`; after it, a submit or cancel is `unknown`. */
  readonly signal?: AbortSignal;
  /** Propagated to the authority and logged. */
  readonly trace?: CallTrace;
}

export interface SubmissionToSend {
  /** The exact bytes from `buildSubmitBody`. They must be stored durably before the call. */
  readonly body: Buffer;
  readonly referenceIds: readonly string[];
}

export interface SearchWindow {
  readonly submittedFrom: Date;
  /** At most 31 days after `submittedFrom`. */
  readonly submittedTo: Date;
  /** Starts at 1. */
  readonly page: number;
}

export interface TinCheck {
  readonly tin: string;
  readonly idType: IdType;
  readonly idValue: string;
}

/**
 * The authority's operations. `AuthorityClient` implements them over HTTP; tests and other teams may provide another
 * class under this token. Failures are outcomes; methods throw only for a slot that was already used.
 */
export abstract class AuthorityCalls {
  abstract submit(call: AuthorityCall<'submit'>, submission: SubmissionToSend): Promise<Traced<SubmitOutcome>>;

  /** Submits an empty body to test whether the API responds, without putting a document in doubt. */
  abstract probeSubmit(call: AuthorityCall<'submit'>): Promise<Traced<ProbeOutcome>>;

  abstract getSubmission(
    call: AuthorityCall<'getSubmission'>,
    submissionUid: string,
  ): Promise<Dated<Traced<SubmissionOutcome>>>;

  abstract details(call: AuthorityCall<'details'>, authorityUuid: string): Promise<Traced<DetailsOutcome>>;

  /** Fetches a document as it was submitted. The authority does not return invalid documents. */
  abstract raw(call: AuthorityCall<'raw'>, authorityUuid: string): Promise<Traced<RawOutcome>>;

  /** @param cancellation its reason has at most 300 characters */
  abstract cancel(
    call: AuthorityCall<'cancel'>,
    cancellation: { authorityUuid: string; reason: string },
  ): Promise<Traced<CancelOutcome>>;

  abstract validateTin(call: AuthorityCall<'validateTin'>, check: TinCheck): Promise<Traced<TinOutcome>>;

  /** Lists the taxpayer's documents. Callers match the numbers because the search cannot filter by all of them. */
  abstract search(call: AuthorityCall<'search'>, window: SearchWindow): Promise<Traced<SearchOutcome>>;

  /** Tests whether the authority still refuses our login. The slot must come from `CallBudget.reserveLoginProbe`. */
  abstract probeLogin(slot: CallSlot<'login'>, taxpayer: Taxpayer): Promise<'accepted' | 'refused' | 'unknown'>;
}
