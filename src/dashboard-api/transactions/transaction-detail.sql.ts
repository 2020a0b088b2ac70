import type { Supplier } from '../../documents/simplified-document.js';
import { type ActorDto, buildActorSql } from '../shown-actor.js';
import { SHOWN_STATUS_SQL, SHOWN_UUID_SQL, isCurrent } from './shown-status.js';

/** Reads the data of an attempt that READ_STATUS does not contain. Parameters: tenant, environment, transaction. */
export const READ_ATTEMPT = /* sql */ `
SELECT t.submission_batch_id AS "submissionBatchId", t.document_id AS "documentId", t.attempt,
       t.payload, t.created_at AS "createdAt", t.updated_at AS "updatedAt", t.held_until IS NOT NULL AS "isHeld",
       ${SHOWN_UUID_SQL} AS "authorityUuid", t.rejection_requested_at AS "rejectionRequestedAt", d.transaction_id = t.id AS "isCurrent",
       f.transaction_id IS NOT NULL AND f.dismissed_at IS NULL AS "needsAction",
       CASE WHEN f.dismissed_at IS NOT NULL THEN jsonb_build_object('at', f.dismissed_at, 'reason', f.dismissal_reason, 'by',
         (SELECT jsonb_build_object('kind', 'user', 'id', u.id, 'name', u.name, 'detail', u.email)
            FROM user_account u WHERE u.id = f.dismissed_by)) END AS dismissal,
       a.sha256, a.version AS "documentVersion", octet_length(a.bytes) AS "documentBytes",
       b.supplier, ${buildActorSql('b')} AS "submittedBy"
  FROM document_transaction t
  JOIN document d ON d.tenant_id = t.tenant_id AND d.id = t.document_id
  JOIN submission_batch b ON b.tenant_id = t.tenant_id AND b.id = t.submission_batch_id
  LEFT JOIN authority_document a ON a.tenant_id = t.tenant_id AND a.transaction_id = t.id
  LEFT JOIN failed_document f ON f.tenant_id = t.tenant_id AND f.document_id = t.document_id AND f.transaction_id = t.id
 WHERE t.tenant_id = $1 AND t.environment = $2 AND t.id = $3`;

export interface AttemptRow {
  readonly submissionBatchId: string;
  readonly documentId: string;
  readonly attempt: number;
  readonly payload: unknown;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly isHeld: boolean;
  readonly authorityUuid: string | null;
  readonly rejectionRequestedAt: Date | null;
  readonly isCurrent: boolean;
  readonly needsAction: boolean;
  readonly dismissal: { readonly at: string; readonly by: ActorDto | null; readonly reason: string } | null;
  readonly sha256: string | null;
  readonly documentVersion: string | null;
  readonly documentBytes: number | null;
  /** Supplier in the built document; null for batches from before suppliers were stored. */
  readonly supplier: Supplier | null;
  readonly submittedBy: ActorDto | null;
}

/** Parameters: tenant, document. */
export const READ_ATTEMPTS = /* sql */ `
SELECT id AS "transactionId", submission_batch_id AS "submissionBatchId", attempt, ${SHOWN_STATUS_SQL} AS status,
       created_at AS "createdAt", jsonb_array_length(errors) AS "errorCount"
  FROM document_transaction WHERE tenant_id = $1 AND document_id = $2 ORDER BY attempt DESC LIMIT 100`;

/** Parameters: tenant, transaction. */
export const READ_MOVES = /* sql */ `
SELECT at, to_state AS "toState", cause, correlation_id AS "correlationId"
  FROM status_event WHERE tenant_id = $1 AND transaction_id = $2 ORDER BY version LIMIT 500`;

/** Parameters: tenant, transaction. */
export const READ_CANCEL_REQUESTS = /* sql */ `
SELECT status, created_at AS "createdAt", updated_at AS "updatedAt", ${buildActorSql('c')} AS by
  FROM document_cancellation c WHERE tenant_id = $1 AND transaction_id = $2 ORDER BY id LIMIT 100`;

/** Parameters: tenant, environment, document. */
export const READ_CANCELLABLE = /* sql */ `SELECT document FROM read_for_cancel($1, $2, NULL, $3)`;

/** Parameters: tenant, environment, transaction. */
export const READ_BYTES = /* sql */ `
SELECT t.reference_id AS "referenceId", t.attempt, a.bytes
  FROM document_transaction t
  LEFT JOIN authority_document a ON a.tenant_id = t.tenant_id AND a.transaction_id = t.id
 WHERE t.tenant_id = $1 AND t.environment = $2 AND t.id = $3`;

export interface BytesRow {
  readonly referenceId: string;
  readonly attempt: number;
  /** Null before the document is built. */
  readonly bytes: Buffer | null;
}

/**
 * Finds the parent of a credit note. Parameters: tenant, environment, type, number, and the stated UUID of the parent
 * at the authority or null.
 */
export const READ_PARENT = /* sql */ `
SELECT t.id AS "transactionId", t.document_type AS "documentType", t.reference_id AS "referenceId",
       ${SHOWN_STATUS_SQL} AS status
  FROM document d
  JOIN document_transaction t ON t.tenant_id = d.tenant_id AND t.id = d.transaction_id
 WHERE d.tenant_id = $1 AND d.environment = $2 AND d.document_type = $3 AND d.reference_id = $4
   AND ($5::text IS NULL OR upper(t.authority_uuid) = upper($5::text))`;

/** Maximum number of rows of READ_CREDIT_NOTES. */
export const CREDIT_NOTES_MAX = 100;

/**
 * Finds the current attempts of the credit notes that refer to an invoice or wait for it. UUIDs match in upper, lower
 * and original case, like in read_for_cancel. Parameters: tenant, environment, and of the invoice its UUID at the
 * authority or null, type and number.
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

/** Maximum bytes of a credit note whose lines are read. */
const NOTE_BYTES_MAX = 50_000;

/** Reads credit notes; the payload of a large one is null. Parameters: tenant, attempts. */
export const READ_NOTES = /* sql */ `
SELECT CASE WHEN wire_bytes_max <= ${NOTE_BYTES_MAX} THEN payload END AS payload,
       ((totals->>'totalPayableAmount')::numeric * 100)::bigint::float8 AS "payableSen"
  FROM document_transaction WHERE tenant_id = $1 AND id = ANY ($2::uuid[])`;

export interface NoteRow {
  readonly payload: unknown;
  readonly payableSen: number;
}
