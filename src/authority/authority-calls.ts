import type { IdType } from '../documents/identity.js';
import type { CallTrace } from '../tracing/tracing.js';
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

/** What every call needs. The slot names the environment. */
export interface AuthorityCall<Api extends AuthorityApi> {
  readonly taxpayer: Taxpayer;
  readonly slot: CallSlot<Api>;
  /**
   * On the clock of `performance.now()`: nothing is sent after it and no response awaited, login and repetition
   * included. Default: AUTHORITY_DEADLINE_SECONDS after the slot's time.
   */
  readonly deadlineAt?: number;
  /** Gives the call up: before the send it is `unavailable`, after it a submit or a cancel is `unknown`. */
  readonly signal?: AbortSignal;
  /** Continued to the authority, and named in the log line. */
  readonly trace?: CallTrace;
}

export interface SubmissionToSend {
  /** The exact bytes, durable before they are given here; `submitBody` makes them. */
  readonly body: Buffer;
  /** The number of every document in it. */
  readonly referenceIds: readonly string[];
}

export interface SearchWindow {
  readonly submittedFrom: Date;
  /** At most 31 days after `submittedFrom`. */
  readonly submittedTo: Date;
  /** From 1. */
  readonly page: number;
}

export interface TinCheck {
  readonly tin: string;
  readonly idType: IdType;
  readonly idValue: string;
}

/**
 * The calls that the authority offers, and the Nest token under which everything asks for them. AuthorityClient makes
 * them over HTTP; a test or another team provides its own class under this token. Every ending is a value: a method
 * only throws for a slot that it may not use.
 */
export abstract class AuthorityCalls {
  abstract submit(call: AuthorityCall<'submit'>, submission: SubmissionToSend): Promise<Traced<SubmitOutcome>>;

  /** A submit without documents: whether the API responds, found out at no document's risk. */
  abstract probeSubmit(call: AuthorityCall<'submit'>): Promise<Traced<ProbeOutcome>>;

  abstract getSubmission(
    call: AuthorityCall<'getSubmission'>,
    submissionUid: string,
  ): Promise<Dated<Traced<SubmissionOutcome>>>;

  abstract details(call: AuthorityCall<'details'>, authorityUuid: string): Promise<Traced<DetailsOutcome>>;

  /** A document as it was submitted; the authority gives out none that is invalid. */
  abstract raw(call: AuthorityCall<'raw'>, authorityUuid: string): Promise<Traced<RawOutcome>>;

  /** @param cancellation its reason has at most 300 characters */
  abstract cancel(
    call: AuthorityCall<'cancel'>,
    cancellation: { authorityUuid: string; reason: string },
  ): Promise<Traced<CancelOutcome>>;

  abstract validateTin(call: AuthorityCall<'validateTin'>, check: TinCheck): Promise<Traced<TinOutcome>>;

  /**
   * What this taxpayer submitted in a window of time; numbers are matched by the caller, since not all can be searched.
   */
  abstract search(call: AuthorityCall<'search'>, window: SearchWindow): Promise<Traced<SearchOutcome>>;

  /**
   * A login while our own is refused, to find out whether it still is.
   * @param slot of `CallBudget.reserveLoginProbe`
   */
  abstract probeLogin(slot: CallSlot<'login'>, taxpayer: Taxpayer): Promise<'accepted' | 'refused' | 'unknown'>;
}
