import { FAILURES_TO_OPEN } from '../authority/call-budget.js';
import type { SubmissionType } from '../documents/simplified-document.js';
import type { DocumentTotals, DocumentType } from '../documents/simplified-document.js';
import type { AuthorityStatus, CancellationStatus, SubmissionStatus } from '../documents/statuses.js';

/** A row of `read_submission_status`: one document of a batch. */
export interface StatusRow {
  now: Date;
  submission_type: SubmissionType;
  batch_created_at: Date;
  document_id: string;
  transaction_id: string;
  document_type: DocumentType;
  reference_id: string;
  submission_status: SubmissionStatus;
  authority_status: AuthorityStatus | null;
  authority_uuid: string | null;
  authority_submission_uid: string | null;
  authority_long_id: string | null;
  totals: DocumentTotals;
  errors: object[];
  version: number;
  due_at: Date;
  issued_at: Date | null;
  submitted_at: Date | null;
  validated_at: Date | null;
  cancelled_at: Date | null;
  rejection_requested_at: Date | null;
  held_until: Date | null;
  parent_reference_id: string | null;
  created_at: Date;
  updated_at: Date;
  cancellation_id: string | null;
  cancellation_status: CancellationStatus | null;
  cancellation_reason: string | null;
  cancellation_errors: object[] | null;
  cancellation_requested_at: Date | null;
  cancellation_updated_at: Date | null;
  in_doubt_since: Date | null;
  queue_waiting_code: string | null;
  queue_waiting_since: Date | null;
  budget_waiting_code: string | null;
  budget_waiting_since: Date | null;
}

// The function sets the tenant in the same round trip. Row-level security still applies.
export const READ_STATUS = /* sql */ `
  SELECT now, submission_type, batch_created_at, document_id, transaction_id, document_type, reference_id,
         submission_status, authority_status, authority_uuid, authority_submission_uid, authority_long_id, totals, errors,
         version, due_at, issued_at, submitted_at, validated_at, cancelled_at, rejection_requested_at, held_until,
         parent_reference_id, created_at, updated_at, cancellation_id, cancellation_status, cancellation_reason,
         cancellation_errors, cancellation_requested_at, cancellation_updated_at, in_doubt_since, queue_waiting_code,
         queue_waiting_since, budget_waiting_code, budget_waiting_since
    FROM read_submission_status($1, $2, $3, $4, ${FAILURES_TO_OPEN})`;
