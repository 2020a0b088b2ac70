import { v7 as uuidv7 } from 'uuid';
import type { Environment } from '../config/environment.js';
import { CREDITS_PER_DOCUMENT } from '../credits/prices.js';
import type { Supplier, DocumentTotals, DocumentType } from '../documents/simplified-document.js';
import { type ApiError, ValidationError } from '../errors/api-error.js';
import { DocumentChangedError } from '../errors/dashboard-errors.js';
import type { Problem } from '../errors/problem.js';
import { type Acceptance, type Decision, findReplay } from '../idempotency/decision.js';
import { SupplierProfileIncompleteError } from '../tenants/supplier-errors.js';
import { refuseUnverified } from '../tenants/verification/verification.js';
import { type ResponseWarnings, toResponseWarnings } from '../http/validation/warning-list.js';
import { warnOfEarlierDates, warnOfExceeded } from './credited-parents.js';
import { DuplicateDocumentError } from './duplicate-document-error.js';
import { type Parents, resolveParents, warnOfForeignUuids, type Parent } from './parents.js';
import type { AcceptableSubmit, PreparedSubmit } from './prepare-submit.js';
import { warnOfSimilar, findDuplicates, findInvisible, StoredDocuments } from './stored-documents.js';
import type { SubmitRead } from './submit-reader.js';
import { createId } from '../common/ids.js';
import { DOCUMENT_TYPE_ROWS } from '../documents/document-types.js';
import { GENERAL_PUBLIC_TIN } from '../documents/identity.js';
import type { ParsedDocument } from './parsed-document.js';

export interface SubmitInput {
  readonly environment: Environment;
  readonly prepared: PreparedSubmit;
  readonly expectedAttempts?: number;
}

export interface AcceptedSubmit extends Acceptance {
  readonly batch: AcceptableSubmit;
  readonly rows: readonly DocumentRow[];
  readonly supplier: Supplier;
  readonly warnings: ResponseWarnings;
}

/** Decides a submit or a dry run in the order of docs/rules.md#order-of-checks. */
export function decideSubmit(read: SubmitRead, input: SubmitInput): Decision<AcceptedSubmit> {
  const { prepared } = input;
  const replay = findReplay(read, prepared.bodyHash);
  if (replay !== null) return replay;
  if ('problems' in prepared) {
    const { problems, referenceIds } = prepared;
    return { refusal: new ValidationError(problems, (index) => referenceIds.get(index) ?? null) };
  }
  const { supplier } = read;
  if ('missing' in supplier) return { refusal: new SupplierProfileIncompleteError(supplier.missing) };
  const stored = new StoredDocuments(read.stored);
  const { parents, problems: parentProblems } = resolveParents(prepared.documents, stored);
  const refusal =
    refuseUnverified(read.verification, input.environment) ??
    refuseOtherAttempts(prepared, stored, input.expectedAttempts) ??
    refuseInvalid(prepared, read.profileProblems) ??
    refuseInvalid(prepared, findInvisible(prepared.documents, stored)) ??
    refuseInvalid(prepared, parentProblems) ??
    refuseDuplicates(prepared, stored);
  return refusal === null ? { accepted: accept(prepared, read, { supplier, stored, parents }) } : { refusal };
}

/** Rejects a submit that expects a different number of attempts. */
function refuseOtherAttempts(
  { documents }: AcceptableSubmit,
  stored: StoredDocuments,
  expectedAttempts: number | undefined,
): ApiError | null {
  if (expectedAttempts === undefined) return null;
  const isUnchanged = documents.every(
    ({ document: { documentType, referenceId } }) =>
      stored.find(documentType, referenceId)?.attempts === expectedAttempts,
  );
  return isUnchanged ? null : new DocumentChangedError();
}

function refuseInvalid({ documents }: AcceptableSubmit, problems: readonly Problem[]): ApiError | null {
  if (problems.length === 0) return null;
  return new ValidationError(problems, (index) => documents[index]?.document.referenceId ?? null);
}

function refuseDuplicates({ documents }: AcceptableSubmit, stored: StoredDocuments): ApiError | null {
  const duplicates = findDuplicates(documents, stored);
  return duplicates.length === 0 ? null : new DuplicateDocumentError(duplicates);
}

interface Checked {
  readonly supplier: Supplier;
  readonly stored: StoredDocuments;
  readonly parents: Parents;
}

function accept(batch: AcceptableSubmit, read: SubmitRead, { supplier, stored, parents }: Checked): AcceptedSubmit {
  const { now } = read;
  const rows = buildBatchRows({ batch, stored, parents, now });
  const submissionBatchId = uuidv7({ msecs: now.getTime() });
  const documentCount = rows.length;
  const warnings = collectWarnings(batch, read, stored);
  return {
    batch,
    rows,
    supplier,
    warnings,
    status: 200,
    body: { submissionBatchId, documents: rows.map(toQueuedDocument), ...warnings },
    charge: { credits: documentCount * CREDITS_PER_DOCUMENT, documentCount },
    causeId: submissionBatchId,
    precondition: { tenantVersion: read.tenantVersion, ...read.wanted, stored: read.stored, similar: read.similar },
  };
}

function collectWarnings(
  { documents, warnings }: AcceptableSubmit,
  { similar, credited }: SubmitRead,
  stored: StoredDocuments,
): ResponseWarnings {
  const referenceIds = documents.map(({ document }) => document.referenceId);
  return toResponseWarnings(warnings, referenceIds, [
    ...warnOfSimilar(documents, similar),
    ...warnOfForeignUuids(documents, stored),
    ...warnOfExceeded(documents, stored, credited),
    ...warnOfEarlierDates(documents, stored, credited),
  ]);
}

interface QueuedDocument {
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
function buildBatchRows({ batch, stored, parents, now }: AcceptedBatch): DocumentRow[] {
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

function toQueuedDocument({ document_id, document_type, reference_id }: DocumentRow): QueuedDocument {
  return { documentId: document_id, documentType: document_type, referenceId: reference_id };
}

interface DocumentRow extends ParentColumns {
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
