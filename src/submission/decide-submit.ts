import { v7 as uuidv7 } from 'uuid';
import type { Environment } from '../config/environment.js';
import { CREDITS_PER_DOCUMENT } from '../credits/prices.js';
import type { Supplier } from '../documents/simplified-document.js';
import { type ApiError, ValidationError } from '../errors/api-error.js';
import { DocumentChangedError } from '../errors/dashboard-errors.js';
import type { Problem } from '../errors/problem.js';
import { type Acceptance, type Decision, findReplay } from '../idempotency/decision.js';
import { SupplierProfileIncompleteError } from '../tenants/supplier-errors.js';
import { refuseUnverified } from '../tenants/verification/verification.js';
import { type ResponseWarnings, toResponseWarnings } from '../http/validation/warning-list.js';
import { buildBatchRows, type DocumentRow, toQueuedDocument } from './batch-rows.js';
import { warnOfEarlierDates, warnOfExceeded } from './credited-parents.js';
import { DuplicateDocumentError } from './duplicate-document-error.js';
import { type Parents, resolveParents, warnOfForeignUuids } from './parents.js';
import type { AcceptableSubmit, PreparedSubmit } from './prepare-submit.js';
import { warnOfSimilar } from './similar-references.js';
import { findDuplicates, findInvisible, StoredDocuments } from './stored-documents.js';
import type { SubmitRead } from './submit-reader.js';

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
