import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { withFailpoints } from '../failpoints/failpoints.js';
import type { HttpResult } from '../http/http-result.js';
import { ValidationError } from '../errors/api-error.js';
import { DuplicateDocumentError } from './duplicate-document-error.js';
import { SupplierProfileIncompleteError } from '../tenants/supplier-errors.js';
import type { Problem } from '../errors/problem.js';
import type { ResponseWarnings } from '../validation/warning-list.js';
import { CreditsService } from '../credits/credits.service.js';
import { CREDITS_PER_DOCUMENT } from '../credits/prices.js';
import {
  type AuthenticatedCaller,
  type Caller,
  type TenantTransaction,
  TenantTransactions,
} from '../database/in-tenant.js';
import { buildCreditHeaders, type Decision, IdempotencyService } from '../idempotency/idempotency.service.js';
import type { Supplier } from '../documents/simplified-document.js';
import { PAYLOAD_VERSION } from '../documents/stored-payload.js';
import { buildSupplier } from '../tenants/supplier.js';
import { toTenant, toVerification } from '../tenants/tenant-row.js';
import { assertVerified } from '../tenants/verification.js';
import { warnAboutAlike } from './alike-references.js';
import { buildBatchRows, toQueuedDocument } from './batch-rows.js';
import { refuseOversized } from './document-sizes.js';
import { findDuplicates, KnownDocuments, refuseInvisible } from './known-documents.js';
import type { SubmitDryRunDto } from './dto/submit-dry-run.dto.js';
import { type Parents, resolveParents, warnOfForeignUuids } from './parents.js';
import { readForSubmit, type ReadForSubmit, type Wanted, buildWanted } from './submission.sql.js';
import { readSubmitBody, type SubmitBody } from './submit-body.js';
import type { SubmitRequest } from './submit-request.decorator.js';
import { refuseUntypedTax } from './untyped-tax.js';

@Injectable()
export class SubmissionService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TenantTransactions,
    private readonly idempotency: IdempotencyService,
    private readonly credits: CreditsService,
  ) {}

  /**
   * Accepts a batch: checks it, then charges it and queues it in one transaction, or not at all
   * (docs/rules.md#order-of-checks). A dry run only checks.
   * @throws ApiError for every refusal; nothing is stored, charged or queued then
   */
  async submit(caller: AuthenticatedCaller, request: SubmitRequest, body: unknown): Promise<HttpResult> {
    const read = readSubmitBody(body, caller.receivedAt, request);
    if (request.isDryRun) {
      if ('problems' in read) throw buildRefusal(read.problems, body);
      return withFailpoints('accept.dry_run', () =>
        this.transactions.inTenant(caller, (transaction) => this.dryRun(caller, read, transaction)),
      );
    }
    const idempotentRequest = this.idempotency.toIdempotentRequest(caller, 'submit', { key: request.key, body });
    if ('problems' in read) {
      const replay = await this.idempotency.findReplay(idempotentRequest);
      if (replay !== null) return replay;
      throw buildRefusal(read.problems, body);
    }
    return this.idempotency.run(idempotentRequest, {
      // Most batches hold new documents only, so the first try asks for parents and for nothing else. A document that
      // is known after all breaks uq_document_reference when it is stored, and the whole call is run again.
      read: (isRerun) => this.read(caller, read, { key: request.key, isEvery: isRerun }),
      decide: (submitRead) => this.decide(caller, read, submitRead),
    });
  }

  private async read(
    caller: Caller,
    batch: SubmitBody,
    { key, isEvery }: { key: string; isEvery: boolean },
  ): Promise<SubmitRead> {
    const wanted = buildWanted(batch.documents, isEvery);
    const read = await this.transactions.inShare(caller, () =>
      readForSubmit(this.dataSource, caller, { key, wanted, documents: batch.documents }),
    );
    // A parent that was asked for is also a document of this batch: it is refused, and then every duplicate is named.
    const isRefused = !isEvery && findDuplicates(batch.documents, new KnownDocuments(read.known)).length > 0;
    return isRefused ? this.read(caller, batch, { key, isEvery: true }) : { ...read, wanted };
  }

  private decide(caller: AuthenticatedCaller, batch: SubmitBody, submitRead: SubmitRead): Decision {
    const { now, wanted } = submitRead;
    const { supplier, ...checked } = this.check(caller, batch, submitRead);
    const rows = buildBatchRows({ batch, now, ...checked });
    const submissionBatchId = uuidv7({ msecs: now.getTime() });
    const documentCount = rows.length;
    const writes = { submissionType: batch.submissionType, supplier, payloadVersion: PAYLOAD_VERSION, documents: rows };
    return {
      status: 200,
      body: {
        submissionBatchId,
        documents: rows.map(toQueuedDocument),
        ...collectWarnings(batch, submitRead, checked.known),
      },
      charge: { credits: documentCount * CREDITS_PER_DOCUMENT, documentCount },
      causeId: submissionBatchId,
      precondition: { ...wanted, known: submitRead.known },
      writes: { ...writes, ...caller.actor },
    };
  }

  /**
   * Everything but the acceptance (docs/rules.md#dry-run). Another call may take the number or the credits meanwhile.
   */
  private async dryRun(caller: Caller, batch: SubmitBody, transaction: TenantTransaction): Promise<HttpResult> {
    const toRead = { key: null, wanted: buildWanted(batch.documents, true), documents: batch.documents };
    const read = await readForSubmit(transaction.tx, caller, toRead);
    const { known } = this.check(caller, batch, read);
    const documentCount = batch.documents.length;
    const requiredCredits = documentCount * CREDITS_PER_DOCUMENT;
    const { remaining } = await this.credits.previewCharge(transaction, {
      tenantId: caller.tenantId,
      credits: requiredCredits,
      documentCount,
    });
    const documents = batch.documents.map(({ document: { documentType, referenceId }, totals }) => ({
      documentType,
      referenceId,
      totals,
    }));
    const body: SubmitDryRunDto = { dryRun: true, requiredCredits, documents, ...collectWarnings(batch, read, known) };
    return { status: 200, headers: buildCreditHeaders(0, remaining), body };
  }

  /** What the tenant's own rows say of a batch, in the order of docs/rules.md#order-of-checks. */
  private check({ environment }: Caller, { documents }: SubmitBody, { tenant, known: rows }: ReadForSubmit): Checked {
    const supplier = buildSupplier(toTenant(this.dataSource, tenant));
    if ('missing' in supplier) throw new SupplierProfileIncompleteError(supplier.missing);
    assertVerified(toVerification(tenant), environment);
    refuseUntypedTax(documents, supplier);
    refuseOversized(documents, supplier);
    const known = new KnownDocuments(rows);
    refuseInvisible(documents, known);
    const parents = resolveParents(documents, known);
    const duplicates = findDuplicates(documents, known);
    if (duplicates.length > 0) throw new DuplicateDocumentError(duplicates);
    return { supplier, known, parents };
  }
}

type SubmitRead = ReadForSubmit & { readonly wanted: Wanted };

interface Checked {
  readonly supplier: Supplier;
  readonly known: KnownDocuments;
  readonly parents: Parents;
}

function collectWarnings(
  { documents, warnings }: SubmitBody,
  { alike }: ReadForSubmit,
  known: KnownDocuments,
): ResponseWarnings {
  const referenceIds = documents.map(({ document }) => document.referenceId);
  return warnings.toResponse(referenceIds, [
    ...warnAboutAlike(documents, alike),
    ...warnOfForeignUuids(documents, known),
  ]);
}

function buildRefusal(problems: readonly Problem[], body: unknown): ValidationError {
  return new ValidationError(problems, (index) => referenceIdAt(body, index));
}

function referenceIdAt(body: unknown, index: number): string | null {
  const document = (body as { documents?: { referenceId?: unknown }[] }).documents?.[index];
  return typeof document?.referenceId === 'string' ? document.referenceId : null;
}
