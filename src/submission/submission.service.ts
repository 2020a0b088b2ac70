import { Injectable } from '@nestjs/common';
import type { Span } from '@opentelemetry/api';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { withFailpoints } from '../failpoints/failpoints.js';
import type { HttpResult } from '../http/http-result.js';
import { ValidationError } from '../errors/api-error.js';
import { DocumentChangedError } from '../errors/document-changed-error.js';
import { DuplicateDocumentError } from './duplicate-document-error.js';
import { SupplierProfileIncompleteError } from '../tenants/supplier-errors.js';
import { type ResponseWarnings, toResponseWarnings } from '../validation/warning-list.js';
import { CreditsService } from '../credits/credits.service.js';
import { CREDITS_PER_DOCUMENT } from '../credits/prices.js';
import { type AuthenticatedCaller, type Caller, TenantTransactions } from '../database/in-tenant.js';
import {
  buildCreditHeaders,
  type Decision,
  IdempotencyService,
  type IdempotentRequest,
} from '../idempotency/idempotency.service.js';
import { formatOnBehalfOf } from '../documents/identity.js';
import type { Supplier } from '../documents/simplified-document.js';
import { buildSupplier } from '../tenants/supplier.js';
import { toTenant, toVerification } from '../tenants/tenant-row.js';
import { assertVerified } from '../tenants/verification/verification.js';
import { formatTraceparent } from '../tracing/traceparent.js';
import { warnOfSimilar } from './similar-references.js';
import { buildBatchRows, encodeWrites, toQueuedDocument } from './batch-rows.js';
import { warnOfEarlierDates, warnOfExceeded } from './credited-parents.js';
import { findDuplicates, StoredDocuments, refuseInvisible } from './stored-documents.js';
import type { SubmitDryRunDto } from './dto/submit-dry-run.dto.js';
import type { AcceptableSubmit, PreparedSubmit, RefusedSubmit } from './prepare-submit.js';
import { type Parents, resolveParents, warnOfForeignUuids } from './parents.js';
import { RecentTenants } from './recent-tenants.js';
import { readForSubmit, type ReadForSubmit, type Wanted, buildWanted } from './submission.sql.js';
import { SubmitWorkers } from './submit-workers.js';
import type { SubmitRequest } from './submit-request.js';
import { mustJudgeWith } from './supplier-rules.js';

@Injectable()
export class SubmissionService {
  private readonly recentTenants = new RecentTenants();

  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TenantTransactions,
    private readonly idempotency: IdempotencyService,
    private readonly credits: CreditsService,
    private readonly workers: SubmitWorkers,
  ) {}

  /**
   * Accepts a batch: checks it, then charges it and queues it in one transaction, or not at all
   * (docs/rules.md#order-of-checks). A dry run only checks.
   * @throws ApiError for every refusal; nothing is stored, charged or queued then
   */
  async submit(caller: AuthenticatedCaller, request: SubmitRequest, prepared: PreparedSubmit): Promise<HttpResult> {
    if (request.isDryRun) {
      if ('problems' in prepared) throw buildRefusal(prepared);
      return this.dryRun(caller, prepared, request);
    }
    const { key, span, expectedAttempts } = request;
    const isExpecting = expectedAttempts !== undefined;
    const bodyHash = Buffer.from(prepared.bodyHash, 'hex');
    const idempotentRequest: IdempotentRequest = { caller, operation: 'submit', key, bodyHash, span };
    if ('problems' in prepared) {
      const replay = await this.idempotency.findReplay(idempotentRequest);
      if (replay !== null) return replay;
      throw buildRefusal(prepared);
    }
    return this.idempotency.run(idempotentRequest, {
      // Most batches hold new documents only, so the first try asks for parents and for nothing else. A document that
      // is known after all breaks uq_document_reference when it is stored, and the whole call is run again.
      read: (isRerun) =>
        (isRerun || isExpecting ? null : this.recall(caller, prepared)) ??
        this.read(caller, prepared, { key, isEvery: isRerun || isExpecting }),
      decide: (submitRead) => {
        assertAttempts(prepared, submitRead, request);
        return this.decide({ ...caller, span }, prepared, submitRead);
      },
    });
  }

  /**
   * What a submit is decided on that asks for nothing but its tenant, which another one has just read. If that has
   * changed, the database says so when the submit is stored, and it is run again.
   */
  private recall(caller: Caller, { documents }: AcceptableSubmit): SubmitRead | null {
    const recent = this.recentTenants.find(caller);
    if (recent === undefined || documents.some(({ mayBeTooLarge }) => mayBeTooLarge)) return null;
    const wanted = buildWanted(documents, false);
    if (wanted.types.length + wanted.authorityUuids.length > 0) return null;
    return { ...NOTHING_STORED, ...recent, wanted, isRecalled: true };
  }

  private async read(
    caller: Caller,
    batch: AcceptableSubmit,
    { key, isEvery }: { key: string; isEvery: boolean },
  ): Promise<SubmitRead> {
    const wanted = buildWanted(batch.documents, isEvery);
    const read = await this.transactions.inShare(caller, () =>
      readForSubmit(this.dataSource, caller, { key, wanted, documents: batch.documents }),
    );
    // A parent that was asked for is also a document of this batch: it is refused, and then every duplicate is named.
    const isRefused = !isEvery && findDuplicates(batch.documents, new StoredDocuments(read.stored)).length > 0;
    return isRefused ? this.read(caller, batch, { key, isEvery: true }) : { ...read, wanted, isRecalled: false };
  }

  private async decide(
    caller: AuthenticatedCaller & { readonly span: Span | undefined },
    batch: AcceptableSubmit,
    submitRead: SubmitRead,
  ): Promise<Decision> {
    const { now } = submitRead;
    const { supplier, ...checked } = await this.check(caller, batch, submitRead);
    // A profile that documents are judged with is read for each submit.
    const isSettled = !mustJudgeWith(batch.documents, supplier);
    if (isSettled && !submitRead.isRecalled) this.recentTenants.remember(caller, submitRead);
    const rows = buildBatchRows({ batch, now, ...checked });
    const submissionBatchId = uuidv7({ msecs: now.getTime() });
    const documentCount = rows.length;
    const { submissionType } = batch;
    const traceparent = formatTraceparent(caller.span);
    const onBehalfOf = formatOnBehalfOf(supplier);
    const writes = { submissionType, supplier, onBehalfOf, traceparent, ...caller.actor };
    return {
      status: 200,
      body: {
        submissionBatchId,
        documents: rows.map(toQueuedDocument),
        ...collectWarnings(batch, submitRead, checked.stored),
      },
      charge: { credits: documentCount * CREDITS_PER_DOCUMENT, documentCount },
      causeId: submissionBatchId,
      precondition: buildPrecondition(batch, submitRead),
      writes: encodeWrites(rows, batch, writes),
    };
  }

  /**
   * Everything but the acceptance (docs/rules.md#dry-run). Another call may take the number or the credits meanwhile.
   */
  private async dryRun(caller: Caller, batch: AcceptableSubmit, request: SubmitRequest): Promise<HttpResult> {
    const toRead = { key: null, wanted: buildWanted(batch.documents, true), documents: batch.documents };
    const read = await this.transactions.inShare(caller, () => readForSubmit(this.dataSource, caller, toRead));
    assertAttempts(batch, read, request);
    const { stored } = await this.check(caller, batch, read);
    const documentCount = batch.documents.length;
    const requiredCredits = documentCount * CREDITS_PER_DOCUMENT;
    const { remaining } = await withFailpoints('accept.dry_run', () =>
      this.transactions.inTenant(caller, (transaction) =>
        this.credits.previewCharge(transaction, caller, { credits: requiredCredits, documentCount }),
      ),
    );
    const documents = batch.documents.map(({ document: { documentType, referenceId }, totals }) => ({
      documentType,
      referenceId,
      totals,
    }));
    const body: SubmitDryRunDto = { dryRun: true, requiredCredits, documents, ...collectWarnings(batch, read, stored) };
    return { status: 200, headers: buildCreditHeaders(0, remaining), body };
  }

  /** What the tenant's own rows say of a batch, in the order of docs/rules.md#order-of-checks. */
  private async check(
    { tenantId, environment }: Caller,
    { documents }: AcceptableSubmit,
    { tenant, stored: rows }: ReadForSubmit,
  ): Promise<Checked> {
    const supplier = buildSupplier(toTenant(this.dataSource, tenant));
    if ('missing' in supplier) throw new SupplierProfileIncompleteError(supplier.missing);
    assertVerified(toVerification(tenant), environment);
    if (mustJudgeWith(documents, supplier)) {
      const problems = await this.workers.judgeWithSupplier(documents, supplier, tenantId);
      if (problems.length > 0) throw new ValidationError(problems, (index) => documents[index].document.referenceId);
    }
    const stored = new StoredDocuments(rows);
    refuseInvisible(documents, stored);
    const parents = resolveParents(documents, stored);
    const duplicates = findDuplicates(documents, stored);
    if (duplicates.length > 0) throw new DuplicateDocumentError(duplicates);
    return { supplier, stored, parents };
  }
}

type SubmitRead = ReadForSubmit & {
  readonly wanted: Wanted;
  /** Whether an earlier call has read the tenant, and this one nothing. */
  readonly isRecalled: boolean;
};

const NOTHING_STORED = { body_hash: null, response_status: null, response: null, stored: [], similar: [] } as const;

interface Checked {
  readonly supplier: Supplier;
  readonly stored: StoredDocuments;
  readonly parents: Parents;
}

/**
 * A caller that has seen the documents acts on what it saw, or not at all; `buildPrecondition` holds it under the locks.
 * @throws DocumentChangedError (409)
 */
function assertAttempts(
  { documents }: AcceptableSubmit,
  { stored: rows }: ReadForSubmit,
  { expectedAttempts }: SubmitRequest,
): void {
  if (expectedAttempts === undefined) return;
  const stored = new StoredDocuments(rows);
  const isUnchanged = documents.every(
    ({ document: { documentType, referenceId } }) =>
      stored.find(documentType, referenceId)?.attempts === expectedAttempts,
  );
  if (!isUnchanged) throw new DocumentChangedError();
}

/** What must still be so when the batch is stored. */
function buildPrecondition(
  { documents }: AcceptableSubmit,
  { wanted, stored, tenant, isRecalled }: SubmitRead,
): object {
  if (!isRecalled) return { ...wanted, stored };
  const newTypes = documents.map(({ document }) => document.documentType);
  const newReferenceIds = documents.map(({ document }) => document.referenceId);
  const newNumberKeys = documents.map(({ numberKey }) => numberKey);
  return { ...wanted, stored, tenantVersion: tenant.version, newTypes, newReferenceIds, newNumberKeys };
}

function collectWarnings(
  { documents, warnings }: AcceptableSubmit,
  { similar, credited = [] }: ReadForSubmit,
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

function buildRefusal({ problems, referenceIds }: RefusedSubmit): ValidationError {
  return new ValidationError(problems, (index) => referenceIds.get(index) ?? null);
}
