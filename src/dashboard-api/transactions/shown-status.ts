import type { AttemptState } from '../../documents/statuses.js';

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

export function toShownStatus(state: AttemptState): ShownStatus {
  return SHOWN_BY_STATE[state];
}
