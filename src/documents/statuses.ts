/** Platform status of an attempt. `SubmitFailed` is an extension of the interface (docs/rules.md#statuses). */
export type SubmissionStatus = 'Queued' | 'Processing' | 'Submitted' | 'SubmitFailed';
export const SUBMISSION_STATUSES: readonly SubmissionStatus[] = ['Queued', 'Processing', 'Submitted', 'SubmitFailed'];

export type AuthorityStatus = 'Submitted' | 'Valid' | 'Invalid' | 'Cancelled';
export const AUTHORITY_STATUSES: readonly AuthorityStatus[] = ['Submitted', 'Valid', 'Invalid', 'Cancelled'];

export type BatchStatus =
  'Queued' | 'Processing' | 'Submitted' | 'Valid' | 'PartiallyValid' | 'Invalid' | 'SubmitFailed' | 'Cancelled';
export const BATCH_STATUSES: readonly BatchStatus[] = [
  'Queued',
  'Processing',
  'Submitted',
  'Valid',
  'PartiallyValid',
  'Invalid',
  'SubmitFailed',
  'Cancelled',
];

export type CancellationStatus = 'Queued' | 'Processing' | 'Completed' | 'Failed';
export const CANCELLATION_STATUSES: readonly CancellationStatus[] = ['Queued', 'Processing', 'Completed', 'Failed'];

export interface AttemptStatus {
  readonly submissionStatus: SubmissionStatus;
  readonly authorityStatus: AuthorityStatus | null;
}

export type AttemptState = 'queued' | 'processing' | 'submitted' | 'valid' | 'invalid' | 'cancelled' | 'submitFailed';
export const ATTEMPT_STATES: readonly AttemptState[] = [
  'queued',
  'processing',
  'submitted',
  'valid',
  'invalid',
  'cancelled',
  'submitFailed',
];

const STATE_BY_AUTHORITY_STATUS: Record<AuthorityStatus, AttemptState> = {
  Submitted: 'submitted',
  Valid: 'valid',
  Invalid: 'invalid',
  Cancelled: 'cancelled',
};

const STATE_BY_SUBMISSION_STATUS: Record<SubmissionStatus, AttemptState> = {
  Queued: 'queued',
  Processing: 'processing',
  Submitted: 'submitted',
  SubmitFailed: 'submitFailed',
};

export function getAttemptState(status: AttemptStatus): AttemptState {
  return status.authorityStatus === null
    ? STATE_BY_SUBMISSION_STATUS[status.submissionStatus]
    : STATE_BY_AUTHORITY_STATUS[status.authorityStatus];
}

const STATUS_BY_STATE: Record<AttemptState, AttemptStatus> = {
  queued: { submissionStatus: 'Queued', authorityStatus: null },
  processing: { submissionStatus: 'Processing', authorityStatus: null },
  submitFailed: { submissionStatus: 'SubmitFailed', authorityStatus: null },
  submitted: { submissionStatus: 'Submitted', authorityStatus: 'Submitted' },
  valid: { submissionStatus: 'Submitted', authorityStatus: 'Valid' },
  invalid: { submissionStatus: 'Submitted', authorityStatus: 'Invalid' },
  cancelled: { submissionStatus: 'Submitted', authorityStatus: 'Cancelled' },
};

export function getAttemptStatus(state: AttemptState): AttemptStatus {
  return STATUS_BY_STATE[state];
}

/**
 * A document that may have arrived is never sent again, so `submitted` → `queued` is missing (docs/rules.md#statuses).
 */
export const ATTEMPT_TRANSITIONS: Readonly<Record<AttemptState, readonly AttemptState[]>> = {
  queued: ['processing', 'submitFailed'],
  processing: ['queued', 'submitted', 'submitFailed'],
  submitted: ['valid', 'invalid', 'cancelled'],
  valid: ['cancelled'],
  invalid: [],
  cancelled: [],
  submitFailed: [],
};

export function listStatesBefore(to: AttemptState): AttemptState[] {
  return ATTEMPT_STATES.filter((from) => ATTEMPT_TRANSITIONS[from].includes(to));
}

const RESUBMITTABLE: ReadonlySet<AttemptState> = new Set(['invalid', 'cancelled', 'submitFailed']);

export function mayResubmit(status: AttemptStatus): boolean {
  return RESUBMITTABLE.has(getAttemptState(status));
}

export type AttemptCounts = Readonly<Record<AttemptState, number>>;

export function countStates(states: Iterable<AttemptState>): AttemptCounts {
  const counts = Object.fromEntries(ATTEMPT_STATES.map((state) => [state, 0])) as Record<AttemptState, number>;
  for (const state of states) counts[state] += 1;
  return counts;
}

/** @param counts at least one attempt */
export function computeBatchStatus(counts: AttemptCounts): BatchStatus {
  const total = ATTEMPT_STATES.reduce((sum, state) => sum + counts[state], 0);
  if (counts.queued === total) return 'Queued';
  if (counts.queued + counts.processing > 0) return 'Processing';
  if (counts.submitted > 0) return 'Submitted';
  if (counts.submitFailed === total) return 'SubmitFailed';
  if (counts.cancelled === total) return 'Cancelled';
  const accepted = counts.valid + counts.cancelled;
  if (accepted === 0) return 'Invalid';
  return accepted === total ? 'Valid' : 'PartiallyValid';
}

const OPEN_BATCH_STATUSES: ReadonlySet<BatchStatus> = new Set(['Queued', 'Processing', 'Submitted']);

export function isTerminal(status: BatchStatus): boolean {
  return !OPEN_BATCH_STATUSES.has(status);
}

/** The dashboard shows documents without an outcome after this time. Outcomes usually arrive within seconds. */
export const USUAL_OUTCOME_SECONDS = 15 * 60;

/** Time after validation in which the issuer can cancel and the buyer can request a rejection. */
const CANCELLATION_WINDOW_HOURS = 72;

export function computeCancellableUntil(validatedAt: Date): Date {
  return new Date(validatedAt.getTime() + CANCELLATION_WINDOW_HOURS * 3_600_000);
}
