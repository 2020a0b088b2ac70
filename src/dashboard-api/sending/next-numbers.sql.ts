import { SHOWN_STATUS_SQL, SHOWN_STATUSES } from '../transactions/shown-status.js';

/**
 * $1 tenant, $2 environment, $3 document type: the number of the last new document that a user of the dashboard sent; of
 * none among the last 100 submissions of each user, the last of all. New attempts of a document keep its number, which
 * may be an old one, so they do not count. Steps from user to user in ix_submission_batch_user.
 */
export const READ_LAST_NUMBER = /* sql */ `
WITH RECURSIVE sender AS (
  (SELECT user_id FROM submission_batch WHERE tenant_id = $1 AND environment = $2 AND user_id IS NOT NULL
    ORDER BY user_id LIMIT 1)
   UNION ALL
  SELECT next.user_id FROM sender CROSS JOIN LATERAL (
    SELECT user_id FROM submission_batch WHERE tenant_id = $1 AND environment = $2 AND user_id > sender.user_id
     ORDER BY user_id LIMIT 1) next),
by_hand AS (
  SELECT sent.reference_id FROM sender
   CROSS JOIN LATERAL (
     SELECT id FROM submission_batch WHERE tenant_id = $1 AND environment = $2 AND user_id = sender.user_id
      ORDER BY id DESC LIMIT 100) batch
   CROSS JOIN LATERAL (
     SELECT id, document_type, reference_id, attempt FROM document_transaction
      WHERE tenant_id = $1 AND submission_batch_id = batch.id OFFSET 0) sent
   WHERE sent.document_type = $3 AND sent.attempt = 1
   ORDER BY sent.id DESC LIMIT 1)
SELECT reference_id AS "referenceId" FROM by_hand
 UNION ALL
(SELECT latest.reference_id FROM unnest(ARRAY[${SHOWN_STATUSES.map((status) => `'${status}'`).join(', ')}]) AS shown (status)
  CROSS JOIN LATERAL (
    SELECT id, reference_id FROM document_transaction
     WHERE tenant_id = $1 AND environment = $2 AND document_type = $3 AND ${SHOWN_STATUS_SQL} = shown.status
     ORDER BY id DESC LIMIT 1) latest
  WHERE NOT EXISTS (SELECT FROM by_hand)
  ORDER BY latest.id DESC LIMIT 1)`;

/** $1 tenant, $2 environment, $3 document type, $4 numbers: the first of these that no document has. */
export const FIND_FREE_NUMBER = /* sql */ `
SELECT wanted.reference_id AS "referenceId" FROM unnest($4::text[]) WITH ORDINALITY AS wanted (reference_id, position)
 WHERE NOT EXISTS (
   SELECT FROM document WHERE tenant_id = $1 AND environment = $2 AND document_type = $3
      AND reference_id = wanted.reference_id)
 ORDER BY wanted.position LIMIT 1`;

export interface NumberRow {
  readonly referenceId: string;
}
