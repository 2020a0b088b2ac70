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
  /** Deadline on the `performance.now()` clock. Default: AUTHORITY_DEADLINE_SECONDS after the time of the slot. */
  readonly deadlineAt?: number;
  /**
   * Aborts the call. The outcome is `unavailable` before the send. After the send, a submit or cancel is `unknown`.
   */
  readonly signal?: AbortSignal;
  readonly trace?: CallTrace;
}

export interface SubmissionToSend {
  /** The exact bytes from `buildSubmitBody`. Store them before the call. */
  readonly body: Buffer;
  readonly referenceIds: readonly string[];
}

export interface SearchWindow {
  readonly submittedFrom: Date;
  /** At most 31 days after `submittedFrom`. */
  readonly submittedTo: Date;
  readonly page: number;
}

export interface TinCheck {
  readonly tin: string;
  readonly idType: IdType;
  readonly idValue: string;
}

/**
 * Calls to the authority. Failures are returned as outcomes. Extensions may provide another class under this token.
 */
export abstract class AuthorityCalls {
  abstract submit(call: AuthorityCall<'submit'>, submission: SubmissionToSend): Promise<Traced<SubmitOutcome>>;

  abstract probeSubmit(call: AuthorityCall<'submit'>): Promise<Traced<ProbeOutcome>>;

  abstract getSubmission(
    call: AuthorityCall<'getSubmission'>,
    submissionUid: string,
  ): Promise<Dated<Traced<SubmissionOutcome>>>;

  abstract details(call: AuthorityCall<'details'>, authorityUuid: string): Promise<Traced<DetailsOutcome>>;

  /** Fetches a document as it was submitted. Invalid documents are not available. */
  abstract raw(call: AuthorityCall<'raw'>, authorityUuid: string): Promise<Traced<RawOutcome>>;

  abstract cancel(
    call: AuthorityCall<'cancel'>,
    cancellation: { authorityUuid: string; reason: string },
  ): Promise<Traced<CancelOutcome>>;

  abstract validateTin(call: AuthorityCall<'validateTin'>, check: TinCheck): Promise<Traced<TinOutcome>>;

  /** Lists the taxpayer's documents. The search cannot filter by document number. */
  abstract search(call: AuthorityCall<'search'>, window: SearchWindow): Promise<Traced<SearchOutcome>>;

  abstract probeLogin(slot: CallSlot<'login'>, taxpayer: Taxpayer): Promise<'accepted' | 'refused' | 'unknown'>;
}
