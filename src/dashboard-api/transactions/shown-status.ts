import { ATTEMPT_STATES, type AttemptState, getAttemptStatus, mayResubmit } from '../../documents/statuses.js';

/** Displayed status of an attempt: the authority's status, or before that the submission status. */
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

/** SQL expression of the displayed status; must equal the expression of ix_document_transaction_list. */
export const SHOWN_STATUS_SQL = 'CASE WHEN authority_status IS NULL THEN submission_status ELSE authority_status END';

/** UUID of attempt `t` at the authority, if confirmed. An unconfirmed UUID may belong to another organisation. */
export const SHOWN_UUID_SQL = 'CASE WHEN t.uuid_confirmed THEN t.authority_uuid END';

export function toShownStatus(state: AttemptState): ShownStatus {
  return SHOWN_BY_STATE[state];
}

/** Statuses without an outcome. */
export const WAITING_STATUSES: readonly ShownStatus[] = ['Queued', 'Processing', 'Submitted'];

/** Statuses that allow a resubmission (docs/rules.md#resubmission). */
export const REPLACEABLE_STATUSES: readonly ShownStatus[] = ATTEMPT_STATES.filter((state) =>
  mayResubmit(getAttemptStatus(state)),
).map(toShownStatus);

/**
 * Builds SQL that tests whether an attempt is not replaced by a later attempt. $1 is the tenant. The subquery is one
 * index lookup per row. With NOT EXISTS, the planner would use a join that may read all attempts.
 */
export function isCurrent(alias: string): string {
  return /* sql */ `coalesce((
    SELECT false FROM document_transaction later
     WHERE later.tenant_id = $1 AND later.document_id = ${alias}.document_id AND later.attempt > ${alias}.attempt
     LIMIT 1), true)`;
}
