import { createId } from '../common/ids.js';
import { GENERAL_PUBLIC_TIN } from '../documents/identity.js';
import type { DocumentTotals, DocumentType } from '../documents/simplified-document.js';
import type { KnownDocuments } from './known-documents.js';
import type { Parent, Parents } from './parents.js';
import type { AcceptableSubmit } from './prepare-submit.js';
import type { StatedDocument } from './stated-document.js';

export interface QueuedDocument {
  readonly documentId: string;
  readonly documentType: DocumentType;
  readonly referenceId: string;
}

interface AcceptedBatch {
  readonly batch: AcceptableSubmit;
  readonly known: KnownDocuments;
  readonly parents: Parents;
  readonly now: Date;
}

/** A credit note waits this long for its parent (docs/rules.md#credit-notes). */
const HOLD_DAYS_MAX = 7;
const DAY_MS = 86_400_000;

/** The rows of a batch's documents as `store_submission` takes them, in the order of the request. */
export function buildBatchRows({ batch, known, parents, now }: AcceptedBatch): DocumentRow[] {
  const heldUntil = new Date(now.getTime() + HOLD_DAYS_MAX * DAY_MS).toISOString();
  return batch.documents.map(({ document, totals, wireBytesMax, payload }, index) => {
    const earlier = known.find(document.documentType, document.referenceId);
    return {
      position: index,
      document_id: earlier?.documentId ?? createId(now),
      transaction_id: createId(now),
      attempt: (earlier?.attempts ?? 0) + 1,
      document_type: document.documentType,
      reference_id: document.referenceId,
      payload,
      totals,
      buyer_tin: document.recipient?.tin ?? GENERAL_PUBLIC_TIN,
      ...toParentColumns(document, parents.get(index), heldUntil),
      wire_bytes_max: wireBytesMax,
    };
  });
}

/** The rows as JSON. The payloads, nearly all of it, are taken as they were written. */
export function toJsonRows(rows: readonly DocumentRow[]): string {
  const texts = rows.map(({ payload, ...row }) => `{"payload":${payload},${JSON.stringify(row).slice(1)}`);
  return `[${texts.join()}]`;
}

/** What the response of a submit says of a document. */
export function toQueuedDocument({ document_id, document_type, reference_id }: DocumentRow): QueuedDocument {
  return { documentId: document_id, documentType: document_type, referenceId: reference_id };
}

interface DocumentRow extends ParentColumns {
  readonly position: number;
  readonly document_id: string;
  readonly transaction_id: string;
  readonly attempt: number;
  readonly document_type: DocumentType;
  readonly reference_id: string;
  /** JSON. */
  readonly payload: string;
  readonly totals: DocumentTotals;
  readonly buyer_tin: string;
  readonly wire_bytes_max: number;
}

interface ParentColumns {
  readonly parent_reference_id: string | null;
  readonly parent_authority_uuid: string | null;
  readonly held_until: string | null;
}

const NO_PARENT: ParentColumns = { parent_reference_id: null, parent_authority_uuid: null, held_until: null };

function toParentColumns(
  { relatedInvoice }: StatedDocument,
  parent: Parent | undefined,
  heldUntil: string,
): ParentColumns {
  if (relatedInvoice === null || parent === undefined) return NO_PARENT;
  const uuid = 'authorityUuid' in parent ? parent.authorityUuid : null;
  return {
    parent_reference_id: relatedInvoice.referenceId,
    parent_authority_uuid: uuid,
    held_until: uuid === null ? heldUntil : null,
  };
}
