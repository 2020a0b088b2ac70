import type { LinkedDocumentDto } from './dto/transaction-content.dto.js';
import { isCurrent, SHOWN_STATUS_SQL } from './shown-status.js';

/**
 * $1 tenant, $2 environment, $3 its type, $4 its number, $5 the authority's uuid that the credit note states, or null:
 * the parent as its last attempt stands.
 */
export const READ_PARENT = /* sql */ `
SELECT t.id AS "transactionId", t.document_type AS "documentType", t.reference_id AS "referenceId",
       ${SHOWN_STATUS_SQL} AS status
  FROM document d
  JOIN document_transaction t ON t.tenant_id = d.tenant_id AND t.id = d.transaction_id
 WHERE d.tenant_id = $1 AND d.environment = $2 AND d.document_type = $3 AND d.reference_id = $4
   AND ($5::text IS NULL OR upper(t.authority_uuid) = upper($5::text))`;

/** How many credit notes READ_CREDIT_NOTES finds at most. */
export const CREDIT_NOTES_MAX = 100;

/**
 * $1 tenant, $2 environment, $3 the invoice's uuid at the authority, or null before it has one, $4 its type, $5 its
 * number: the last attempts of the credit notes that refer to it, and of those that wait for it. Uuids are looked up in
 * any case, as in read_for_cancel.
 */
export const READ_CREDIT_NOTES = /* sql */ `
SELECT note.id AS "transactionId", note.document_type AS "documentType", note.reference_id AS "referenceId", note.status
  FROM (SELECT n.id, n.document_id, n.attempt, n.document_type, n.reference_id, n.status
          FROM (SELECT DISTINCT uuid FROM unnest(ARRAY[$3::text, upper($3::text), lower($3::text)]) AS u (uuid)) u
         CROSS JOIN LATERAL (
           SELECT id, document_id, attempt, document_type, reference_id, ${SHOWN_STATUS_SQL} AS status
             FROM document_transaction
            WHERE tenant_id = $1 AND environment = $2 AND parent_reference_id IS NOT NULL
              AND parent_authority_uuid = u.uuid
            OFFSET 0) n
         UNION ALL
        SELECT id, document_id, attempt, document_type, reference_id, ${SHOWN_STATUS_SQL} AS status
          FROM document_transaction
         WHERE tenant_id = $1 AND environment = $2 AND parent_reference_id = $5
           AND parent_type = $4 AND submission_status = 'Queued' AND held_until IS NOT NULL) note
 WHERE ${isCurrent('note')}
 ORDER BY note.id DESC LIMIT ${CREDIT_NOTES_MAX}`;

/** Bytes of a note above which its lines are not read. */
const NOTE_BYTES_MAX = 50_000;

/** $1 tenant, $2 attempts of credit notes: what they say; null for one that is too large to be read for a form. */
export const READ_NOTES = /* sql */ `
SELECT CASE WHEN wire_bytes_max <= ${NOTE_BYTES_MAX} THEN payload END AS payload,
       ((totals->>'totalPayableAmount')::numeric * 100)::bigint::float8 AS "payableSen"
  FROM document_transaction WHERE tenant_id = $1 AND id = ANY ($2::uuid[])`;

export interface NoteRow {
  readonly payload: unknown;
  readonly payableSen: number;
}

/** An interface, as a row type must be. */
export interface LinkedRow extends LinkedDocumentDto {
  readonly transactionId: string;
}
