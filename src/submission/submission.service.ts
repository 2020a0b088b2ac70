import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { HttpAnswer } from '../common/http-answer.js';
import { SupplierProfileIncompleteError, ValidationError } from '../common/errors.js';
import type { Problem } from '../common/problem.js';
import { CreditsService } from '../credits/credits.service.js';
import {
  type AuthenticatedCaller,
  type Caller,
  type TenantTransaction,
  TenantTransactions,
} from '../database/in-tenant.js';
import type { Supplier } from '../documents/simplified-document.js';
import { creditHeaders, IdempotencyService, type Done } from '../idempotency/idempotency.service.js';
import { TenantService } from '../tenants/tenant.service.js';
import { supplierOf } from '../tenants/supplier.js';
import { refuseOversized } from './document-sizes.js';
import { KnownDocuments, refuseDuplicates, lockDocuments } from './documents.js';
import type { SubmitDryRunDto } from './dto/submit-dry-run.dto.js';
import { type Parents, resolveParents } from './parents.js';
import { storeBatch } from './store-batch.js';
import { readSubmitBody, type SubmitBody } from './submit-body.js';
import type { SubmitRequest } from './submit-request.decorator.js';
import type { AnsweredWarnings } from './warnings.js';

/** D12: one credit per document. */
const CREDITS_PER_DOCUMENT = 1;

@Injectable()
export class SubmissionService {
  constructor(
    private readonly transactions: TenantTransactions,
    private readonly idempotency: IdempotencyService,
    private readonly tenants: TenantService,
    private readonly credits: CreditsService,
  ) {}

  /**
   * Accepts a batch: checks it, charges it and queues it, in one transaction or not at all (D3). A dry run only checks.
   * @throws ApiError for every refusal; nothing is stored, charged or queued then
   */
  async submit(caller: AuthenticatedCaller, request: SubmitRequest, body: unknown): Promise<HttpAnswer> {
    const read = readSubmitBody(body, caller.receivedAt, request);
    if (request.isDryRun) {
      if ('problems' in read) throw refusalOf(read.problems, body);
      return this.transactions.inTenant(caller, (transaction) => this.rehearse(caller, read, transaction));
    }
    const call = this.idempotency.callOf(caller, 'submit', { key: request.key, body });
    if ('problems' in read) {
      const replay = await this.idempotency.findReplay(call);
      if (replay !== null) return replay;
      throw refusalOf(read.problems, body);
    }
    return this.idempotency.run(call, (transaction) => this.accept(caller, read, transaction));
  }

  private async accept(caller: Caller, batch: SubmitBody, transaction: TenantTransaction): Promise<Done> {
    const { now } = transaction;
    const { known, parents } = await this.checkNew(caller, batch, transaction);

    const submissionBatchId = uuidv7({ msecs: now.getTime() });
    const documents = await storeBatch(transaction, caller, { submissionBatchId, batch, known, parents });
    const documentCount = batch.documents.length;
    return {
      status: 200,
      body: { submissionBatchId, documents, ...warningsOf(batch) },
      charge: { credits: documentCount * CREDITS_PER_DOCUMENT, documentCount },
      causeId: submissionBatchId,
    };
  }

  /** D4: every check of `accept`, and not one write. Another call may take the number or the credits meanwhile. */
  private async rehearse(caller: Caller, batch: SubmitBody, transaction: TenantTransaction): Promise<HttpAnswer> {
    await this.check(caller, batch, transaction);
    const documentCount = batch.documents.length;
    const requiredCredits = documentCount * CREDITS_PER_DOCUMENT;
    const { remaining } = await this.credits.foresee(transaction, {
      tenantId: caller.tenantId,
      credits: requiredCredits,
      documentCount,
    });
    const documents = batch.documents.map(({ document: { documentType, referenceId }, totals }) => ({
      documentType,
      referenceId,
      totals,
    }));
    const body: SubmitDryRunDto = { dryRun: true, requiredCredits, documents, ...warningsOf(batch) };
    return { status: 200, headers: creditHeaders(0, remaining), body };
  }

  /** What the tenant's own rows say of a batch, in the order of D3; locks the documents that it concerns. */
  private async check(caller: Caller, batch: SubmitBody, { tx }: TenantTransaction): Promise<Checked> {
    refuseOversized(batch.documents, await this.supplierOf(caller, tx));
    const known = await lockDocuments(tx, caller, batch.documents);
    const parents = resolveParents(batch.documents, known);
    refuseDuplicates(batch.documents, known);
    return { known, parents };
  }

  /**
   * `check` for a batch that most likely holds new documents only: it does not look for them. If one is known after
   * all, storing it breaks uq_document_reference, and the whole call is run again with all the questions.
   */
  private async checkNew(caller: Caller, batch: SubmitBody, transaction: TenantTransaction): Promise<Checked> {
    const hasParents = batch.documents.some(({ document }) => document.relatedInvoice !== null);
    if (transaction.isRetry || hasParents) return this.check(caller, batch, transaction);
    refuseOversized(batch.documents, await this.supplierOf(caller, transaction.tx));
    return { known: new KnownDocuments([]), parents: new Map() };
  }

  private async supplierOf(caller: Caller, tx: EntityManager): Promise<Supplier> {
    const supplier = supplierOf(await this.tenants.find(tx, caller.tenantId));
    if ('missing' in supplier) throw new SupplierProfileIncompleteError(supplier.missing);
    return supplier;
  }
}

interface Checked {
  readonly known: KnownDocuments;
  readonly parents: Parents;
}

function warningsOf({ documents, warnings }: SubmitBody): AnsweredWarnings {
  return warnings.answered(documents.map(({ document }) => document.referenceId));
}

function refusalOf(problems: readonly Problem[], body: unknown): ValidationError {
  return new ValidationError(problems, (index) => referenceIdAt(body, index));
}

function referenceIdAt(body: unknown, index: number): string | null {
  const document = (body as { documents?: { referenceId?: unknown }[] }).documents?.[index];
  return typeof document?.referenceId === 'string' ? document.referenceId : null;
}
