import type { SubmissionType } from '../../documents/simplified-document.js';
import type { AttemptCounts } from '../../documents/statuses.js';
import { SHOWN_STATUS_SQL } from '../transactions/shown-status.js';

/** A batch as READ_BATCHES gives it. */
export interface BatchRow {
  readonly submissionBatchId: string;
  readonly submissionType: SubmissionType;
  readonly documentCount: number;
  readonly createdAt: Date;
  readonly counts: AttemptCounts;
}

/**
 * $1 tenant, $2 environment, $3 and $4 the range of ids, $5 limit. Each batch's attempts are counted by itself, from the
 * index of their positions: at most 100.
 */
export const READ_BATCHES = /* sql */ `
WITH page AS MATERIALIZED (
  SELECT id, submission_type, document_count, created_at FROM submission_batch
   WHERE tenant_id = $1 AND environment = $2 AND id >= $3 AND id < $4 ORDER BY id DESC LIMIT $5::integer)
SELECT page.id AS "submissionBatchId", page.submission_type AS "submissionType",
       page.document_count AS "documentCount", page.created_at AS "createdAt", counted.counts
  FROM page
 CROSS JOIN LATERAL (
   SELECT json_build_object(
            'queued', count(*) FILTER (WHERE status = 'Queued'),
            'processing', count(*) FILTER (WHERE status = 'Processing'),
            'submitted', count(*) FILTER (WHERE status = 'Submitted'),
            'valid', count(*) FILTER (WHERE status = 'Valid'),
            'invalid', count(*) FILTER (WHERE status = 'Invalid'),
            'cancelled', count(*) FILTER (WHERE status = 'Cancelled'),
            'submitFailed', count(*) FILTER (WHERE status = 'SubmitFailed')) AS counts
     FROM (SELECT ${SHOWN_STATUS_SQL} AS status FROM document_transaction
            WHERE tenant_id = $1 AND submission_batch_id = page.id OFFSET 0) attempt) counted
 ORDER BY page.id DESC`;
