import type { AttemptState } from '../../documents/statuses.js';

/** Where an attempt stands in one word, as people are shown it: the status at the authority, before that our own. */
export type ShownStatus = 'Queued' | 'Processing' | 'Submitted' | 'Valid' | 'Invalid' | 'SubmitFailed' | 'Cancelled';

export const SHOWN_STATUSES: readonly ShownStatus[] = [
  'Queued',
  'Processing',
  'Submitted',
  'Valid',
  'Invalid',
  'SubmitFailed',
  'Cancelled',
];

/** The same in SQL, as ix_document_transaction_list has it. */
export const SHOWN_STATUS_SQL = 'CASE WHEN authority_status IS NULL THEN submission_status ELSE authority_status END';

const SHOWN_BY_STATE: Readonly<Record<AttemptState, ShownStatus>> = {
  queued: 'Queued',
  processing: 'Processing',
  submitted: 'Submitted',
  valid: 'Valid',
  invalid: 'Invalid',
  submitFailed: 'SubmitFailed',
  cancelled: 'Cancelled',
};

export function toShownStatus(state: AttemptState): ShownStatus {
  return SHOWN_BY_STATE[state];
}
