import { ATTEMPT_STATES, type AttemptState, getAttemptStatus, mayResubmit } from '../../documents/statuses.js';

/** Where an attempt stands in one word, as people are shown it: the status at the authority, before that our own. */
const SHOWN_BY_STATE = {
  queued: 'Queued',
  processing: 'Processing',
  submitted: 'Submitted',
  valid: 'Valid',
  invalid: 'Invalid',
  submitFailed: 'SubmitFailed',
  cancelled: 'Cancelled',
} as const satisfies Readonly<Record<AttemptState, string>>;

export type ShownStatus = (typeof SHOWN_BY_STATE)[AttemptState];

export const SHOWN_STATUSES: readonly ShownStatus[] = Object.values(SHOWN_BY_STATE);

/** The same in SQL, as ix_document_transaction_list has it. */
export const SHOWN_STATUS_SQL = 'CASE WHEN authority_status IS NULL THEN submission_status ELSE authority_status END';

/** The authority's uuid of an attempt `t` while it is confirmed: otherwise it may be another organisation's. */
export const SHOWN_UUID_SQL = 'CASE WHEN t.uuid_confirmed THEN t.authority_uuid END';

export function toShownStatus(state: AttemptState): ShownStatus {
  return SHOWN_BY_STATE[state];
}

/** Where an attempt stands that has no outcome yet. */
export const WAITING_STATUSES: readonly ShownStatus[] = ['Queued', 'Processing', 'Submitted'];

/** Where an attempt may stand that was replaced by a later one of its document (docs/rules.md#resubmission). */
export const REPLACEABLE_STATUSES: readonly ShownStatus[] = ATTEMPT_STATES.filter((state) =>
  mayResubmit(getAttemptStatus(state)),
).map(toShownStatus);

/**
 * Whether no later attempt has replaced the one of this alias; $1 is the tenant. One look into the index of attempts for
 * each row that is read: as NOT EXISTS it would be a join, for which the planner may read all attempts.
 */
export function isCurrent(alias: string): string {
  return /* sql */ `coalesce((
    SELECT false FROM document_transaction later
     WHERE later.tenant_id = $1 AND later.document_id = ${alias}.document_id AND later.attempt > ${alias}.attempt
     LIMIT 1), true)`;
}
