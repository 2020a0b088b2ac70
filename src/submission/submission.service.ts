import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { HttpAnswer } from '../common/http-answer.js';
import { SupplierProfileIncompleteError, ValidationError } from '../common/errors.js';
import { CreditsService } from '../credits/credits.service.js';
import type { AuthenticatedCaller, Caller, TenantTransaction } from '../database/in-tenant.js';
import { IdempotencyService, type Done } from '../idempotency/idempotency.service.js';
import { TenantService } from '../tenants/tenant.service.js';
import { supplierOf } from '../tenants/supplier.js';
import { refuseDuplicates, lockDocuments } from './documents.js';
import { resolveParents } from './parents.js';
import { storeBatch } from './store-batch.js';
import { readSubmitBody, type SubmitBody } from './submit-body.js';

/** D12: one credit per document. */
const CREDITS_PER_DOCUMENT = 1;

@Injectable()
export class SubmissionService {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly tenants: TenantService,
    private readonly credits: CreditsService,
  ) {}

  /**
   * Accepts a batch: checks it, charges it and queues it, in one transaction or not at all (D3).
   * @throws ApiError for every refusal; nothing is stored, charged or queued then
   */
  async submit(caller: AuthenticatedCaller, key: string, body: unknown): Promise<HttpAnswer> {
    const call = this.idempotency.callOf(caller, 'submit', { key, body });
    const read = readSubmitBody(body, caller.receivedAt);
    if ('problems' in read) {
      const replay = await this.idempotency.findReplay(call);
      if (replay !== null) return replay;
      throw new ValidationError(read.problems, (index) => referenceIdAt(body, index));
    }
    return this.idempotency.run(call, (transaction) => this.accept(caller, read, transaction));
  }

  private async accept(caller: Caller, batch: SubmitBody, transaction: TenantTransaction): Promise<Done> {
    const { tx, now } = transaction;
    const supplier = supplierOf(await this.tenants.find(tx, caller.tenantId));
    if ('missing' in supplier) throw new SupplierProfileIncompleteError(supplier.missing);

    const known = await lockDocuments(tx, caller, batch.documents);
    const parents = resolveParents(batch.documents, known);
    refuseDuplicates(batch.documents, known);

    const submissionBatchId = uuidv7({ msecs: now.getTime() });
    const documents = await storeBatch(transaction, caller, { submissionBatchId, batch, known, parents });
    const credits = batch.documents.length * CREDITS_PER_DOCUMENT;
    const { remaining } = await this.credits.charge(transaction, {
      ...caller,
      credits,
      kind: 'submit',
      causeId: submissionBatchId,
      documentCount: batch.documents.length,
    });
    return {
      status: 200,
      body: { submissionBatchId, documents },
      creditsCharged: credits,
      creditsRemaining: remaining,
    };
  }
}

function referenceIdAt(body: unknown, index: number): string | null {
  const document = (body as { documents?: { referenceId?: unknown }[] }).documents?.[index];
  return typeof document?.referenceId === 'string' ? document.referenceId : null;
}
