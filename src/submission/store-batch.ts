import { newId } from '../common/ids.js';
import type { Caller, TenantTransaction } from '../database/in-tenant.js';
import { GENERAL_PUBLIC_TIN } from '../documents/identity.js';
import type { DocumentType, SimplifiedDocument } from '../documents/simplified-document.js';
import type { KnownDocuments } from './documents.js';
import type { Parent, Parents } from './parents.js';
import type { SubmitBody } from './submit-body.js';

export interface QueuedDocument {
  readonly documentId: string;
  readonly documentType: DocumentType;
  readonly referenceId: string;
}

interface AcceptedBatch {
  readonly submissionBatchId: string;
  readonly batch: SubmitBody;
  readonly known: KnownDocuments;
  readonly parents: Parents;
}

/** D6: a credit note waits this long for its parent. */
const HOLD_DAYS_MAX = 7;

// One statement whatever the number of documents. New documents are inserted in the order of the locks; a pair that
// another call inserted meanwhile breaks uq_document_reference, and the whole call runs again and finds it.
const STORE = /* sql */ `
  WITH input AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($6::jsonb) AS i (
      "position" integer, document_id uuid, transaction_id uuid, attempt integer,
      document_type text, reference_id text, payload jsonb, totals jsonb, buyer_tin text,
      parent_reference_id text, parent_authority_uuid text, is_held boolean, wire_bytes_max integer)),
  new_document AS (
    INSERT INTO document (tenant_id, id, environment, document_type, reference_id, transaction_id, attempts, created_at)
    SELECT $1, document_id, $2, document_type, reference_id, transaction_id, 1, $5
      FROM input WHERE attempt = 1 ORDER BY document_type, reference_id),
  resubmitted AS (
    UPDATE document d SET transaction_id = i.transaction_id, attempts = i.attempt
      FROM input i WHERE i.attempt > 1 AND d.tenant_id = $1 AND d.id = i.document_id),
  batch AS (
    INSERT INTO submission_batch (tenant_id, id, environment, submission_type, document_count, created_at)
    SELECT $1, $3, $2, $4, count(*), $5 FROM input),
  lane AS (
    INSERT INTO dispatch_lane (tenant_id, environment, operation, served_at)
    VALUES ($1, $2, 'submit', $5) ON CONFLICT DO NOTHING)
  INSERT INTO document_transaction
    (tenant_id, id, environment, document_id, submission_batch_id, "position", attempt, document_type, reference_id,
     payload, totals, buyer_tin, parent_reference_id, parent_authority_uuid, held_until, wire_bytes_max,
     due_at, created_at, updated_at)
  SELECT $1, transaction_id, $2, document_id, $3, "position", attempt, document_type, reference_id,
         payload, totals, buyer_tin, parent_reference_id, parent_authority_uuid,
         CASE WHEN is_held THEN $5::timestamptz + interval '${HOLD_DAYS_MAX} days' END, wire_bytes_max, $5, $5, $5
    FROM input`;

/** Writes the batch, its documents and their transactions, queued. */
export async function storeBatch(
  { tx, now }: TenantTransaction,
  caller: Caller,
  { submissionBatchId, batch, known, parents }: AcceptedBatch,
): Promise<QueuedDocument[]> {
  const rows = batch.documents.map(({ document, totals, wireBytesMax }, index) => {
    const earlier = known.find(document.documentType, document.referenceId);
    return {
      position: index,
      document_id: earlier?.documentId ?? newId(),
      transaction_id: newId(),
      attempt: (earlier?.attempts ?? 0) + 1,
      document_type: document.documentType,
      reference_id: document.referenceId,
      payload: document,
      totals,
      buyer_tin: document.recipient?.tin ?? GENERAL_PUBLIC_TIN,
      ...parentOf(document, parents.get(index)),
      wire_bytes_max: wireBytesMax,
    };
  });
  const { tenantId, environment } = caller;
  const parameters = [tenantId, environment, submissionBatchId, batch.submissionType, now, JSON.stringify(rows)];
  await tx.query(STORE, parameters);
  return rows.map((row) => ({
    documentId: row.document_id,
    documentType: row.document_type,
    referenceId: row.reference_id,
  }));
}

interface ParentColumns {
  readonly parent_reference_id: string | null;
  readonly parent_authority_uuid: string | null;
  readonly is_held: boolean;
}

function parentOf({ relatedInvoice }: SimplifiedDocument, parent: Parent | undefined): ParentColumns {
  if (relatedInvoice === null || parent === undefined) {
    return { parent_reference_id: null, parent_authority_uuid: null, is_held: false };
  }
  const uuid = 'authorityUuid' in parent ? parent.authorityUuid : null;
  return { parent_reference_id: relatedInvoice.referenceId, parent_authority_uuid: uuid, is_held: uuid === null };
}
