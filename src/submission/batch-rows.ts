import { createId } from '../common/ids.js';
import { DOCUMENT_TYPE_ROWS } from '../documents/document-types.js';
import { GENERAL_PUBLIC_TIN } from '../documents/identity.js';
import type { DocumentTotals, DocumentType } from '../documents/simplified-document.js';
import type { StoredDocuments } from './stored-documents.js';
import type { Parent, Parents } from './parents.js';
import type { AcceptableSubmit } from './prepare-submit.js';
import type { ParsedDocument } from './parsed-document.js';

export interface QueuedDocument {
  readonly documentId: string;
  readonly documentType: DocumentType;
  readonly referenceId: string;
}

interface AcceptedBatch {
  readonly batch: AcceptableSubmit;
  readonly stored: StoredDocuments;
  readonly parents: Parents;
  readonly now: Date;
}

/** Maximum time that a credit note waits for its invoice (docs/rules.md#credit-notes). */
const HOLD_DAYS_MAX = 7;
const DAY_MS = 86_400_000;

/** Builds the document rows for `store_submission`, in request order. */
export function buildBatchRows({ batch, stored, parents, now }: AcceptedBatch): DocumentRow[] {
  const heldUntil = new Date(now.getTime() + HOLD_DAYS_MAX * DAY_MS).toISOString();
  return batch.documents.map(({ document, totals, wireBytesMax, numberKey, nameKey }, index) => {
    const earlier = stored.find(document.documentType, document.referenceId);
    return {
      position: index,
      document_id: earlier?.documentId ?? createId(now),
      transaction_id: createId(now),
      attempt: (earlier?.attempts ?? 0) + 1,
      document_type: document.documentType,
      reference_id: document.referenceId,
      number_key: numberKey,
      totals,
      buyer_tin: document.recipient?.tin ?? GENERAL_PUBLIC_TIN,
      name_key: nameKey,
      ...toParentColumns(document, parents.get(index), heldUntil),
      wire_bytes_max: wireBytesMax,
    };
  });
}

// Binary jsonb starts with this version byte, followed by JSON.
const JSONB_VERSION = Buffer.of(1);

/**
 * Encodes the argument of `store_submission` as binary jsonb. Copies payloads unchanged and encodes rows one by one. A
 * single string of all rows would be copied three times, and would take two bytes per character with non-Latin names.
 * @param others the members besides the documents
 */
export function encodeWrites(rows: readonly DocumentRow[], { documents }: AcceptableSubmit, others: object): Buffer {
  const parts = [JSONB_VERSION];
  for (const [index, row] of rows.entries()) {
    const begin = index === 0 ? '{"documents":[' : ',';
    parts.push(Buffer.from(`${begin}{"payload":${documents[index].payload},${JSON.stringify(row).slice(1)}`));
  }
  parts.push(Buffer.from(`],${JSON.stringify(others).slice(1)}`));
  return Buffer.concat(parts);
}

export function toQueuedDocument({ document_id, document_type, reference_id }: DocumentRow): QueuedDocument {
  return { documentId: document_id, documentType: document_type, referenceId: reference_id };
}

export interface DocumentRow extends ParentColumns {
  readonly position: number;
  readonly document_id: string;
  readonly transaction_id: string;
  readonly attempt: number;
  readonly document_type: DocumentType;
  readonly reference_id: string;
  readonly number_key: string;
  readonly totals: DocumentTotals;
  readonly buyer_tin: string;
  readonly name_key: string | null;
  readonly wire_bytes_max: number;
}

interface ParentColumns {
  readonly parent_type: DocumentType | null;
  readonly parent_reference_id: string | null;
  readonly parent_authority_uuid: string | null;
  readonly held_until: string | null;
}

const NO_PARENT: ParentColumns = {
  parent_type: null,
  parent_reference_id: null,
  parent_authority_uuid: null,
  held_until: null,
};

function toParentColumns(
  { documentType, relatedInvoice }: ParsedDocument,
  parent: Parent | undefined,
  heldUntil: string,
): ParentColumns {
  if (relatedInvoice === null || parent === undefined) return NO_PARENT;
  const uuid = 'authorityUuid' in parent ? parent.authorityUuid : null;
  return {
    parent_type: DOCUMENT_TYPE_ROWS[documentType].parentType,
    parent_reference_id: relatedInvoice.referenceId,
    parent_authority_uuid: uuid,
    held_until: uuid === null ? heldUntil : null,
  };
}
