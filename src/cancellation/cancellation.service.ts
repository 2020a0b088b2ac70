import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import {
  CancellationConflictError,
  NotFoundError,
  SupplierProfileIncompleteError,
  ValidationError,
} from '../common/errors.js';
import type { HttpAnswer } from '../common/http-answer.js';
import type { AuthenticatedCaller, Caller, TenantTransaction } from '../database/in-tenant.js';
import { cancellableUntil } from '../documents/statuses.js';
import { type Done, IdempotencyService } from '../idempotency/idempotency.service.js';
import { TenantService } from '../tenants/tenant.service.js';
import { readCancelBody, type CancelBody } from './cancel-body.js';
import { type CancellableDocument, lockDocument, storeCancellation } from './cancellation.sql.js';

/** D12: one credit per cancel request. */
const CREDITS_PER_CANCEL = 1;

@Injectable()
export class CancellationService {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly tenants: TenantService,
  ) {}

  /**
   * Queues the cancellation of a valid document (D11).
   * @throws ApiError for every refusal; nothing is stored, charged or queued then
   */
  async cancel(caller: AuthenticatedCaller, key: string, body: unknown): Promise<HttpAnswer> {
    const call = this.idempotency.callOf(caller, 'cancel', { key, body });
    const read = readCancelBody(body);
    if ('problems' in read) {
      const replay = await this.idempotency.findReplay(call);
      if (replay !== null) return replay;
      throw new ValidationError(read.problems);
    }
    return this.idempotency.run(call, (transaction) => this.accept(caller, read, transaction));
  }

  private async accept(caller: Caller, request: CancelBody, transaction: TenantTransaction): Promise<Done> {
    const { tx, now } = transaction;
    const tenant = await this.tenants.find(tx, caller.tenantId);
    if (tenant.tin === null) throw new SupplierProfileIncompleteError(['TIN']);
    const document = await lockDocument(tx, caller, request.documentId);
    if (document === null) throw new NotFoundError('document');
    refuseUncancellable(document, now);

    const cancellationId = uuidv7();
    await storeCancellation(transaction, caller, { cancellationId, document, reason: request.reason });
    return {
      status: 202,
      body: { documentId: document.documentId, transactionId: cancellationId },
      charge: { credits: CREDITS_PER_CANCEL, documentCount: 1 },
      causeId: cancellationId,
    };
  }
}

/** @throws CancellationConflictError (409), in the order of D11 */
function refuseUncancellable(document: CancellableDocument, now: Date): void {
  const { submissionStatus, authorityStatus } = document;
  if (authorityStatus !== 'Valid' || document.validatedAt === null) {
    const message = `Only a Valid document can be cancelled; this one is ${authorityStatus ?? submissionStatus}`;
    throw new CancellationConflictError('document_not_valid', message, { submissionStatus, authorityStatus });
  }
  if (document.cancellationUnderWay !== null) {
    const message = 'A cancellation of this document is already on its way; follow it in the submission status';
    throw new CancellationConflictError('cancellation_in_progress', message, {
      transactionId: document.cancellationUnderWay,
    });
  }
  const until = cancellableUntil(document.validatedAt);
  if (now >= until) {
    const message = 'The 72 hours in which the authority cancels a document are over; issue a credit note instead';
    throw new CancellationConflictError('cancellation_window_closed', message, {
      cancellableUntil: until.toISOString(),
    });
  }
  if (document.referencingDocuments.length > 0) {
    const listed = document.referencingDocuments.join(', ');
    const message = `Credit notes refer to this document; cancel them first: ${listed}`;
    throw new CancellationConflictError('active_referencing_documents', message, {
      referencingDocuments: document.referencingDocuments,
    });
  }
}
