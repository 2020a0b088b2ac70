import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { hashBody } from '../common/canonical-json.js';
import { NotFoundError, ValidationError } from '../errors/api-error.js';
import { DocumentChangedError } from '../errors/document-changed-error.js';
import { CancellationConflictError } from './cancellation-conflict-error.js';
import { SupplierProfileIncompleteError } from '../tenants/supplier-errors.js';
import type { HttpResult } from '../http/http-result.js';
import { CREDITS_PER_CANCEL } from '../credits/prices.js';
import type { BodyHandling } from '../http/strict-handling.js';
import { type AuthenticatedCaller, type Caller, type RequestActor, TenantTransactions } from '../database/in-tenant.js';
import { computeCancellableUntil } from '../documents/statuses.js';
import { type Decision, IdempotencyService, type IdempotentRequest } from '../idempotency/idempotency.service.js';
import { toResponseWarnings } from '../validation/warning-list.js';
import { type CancelBody, readCancelBody } from './cancel-body.js';
import { type CancellableDocument, readForCancel, type ReadForCancel } from './cancellation.sql.js';

/** What a cancel asks for in addition to its body. */
export interface CancelRequest extends Partial<BodyHandling> {
  readonly key: string;
  /** The attempt that the caller has seen; without it, whichever is the last. */
  readonly expectedTransactionId?: string;
}

type Decided = CancelBody & Pick<CancelRequest, 'expectedTransactionId'> & { readonly actor: RequestActor };

@Injectable()
export class CancellationService {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly dataSource: DataSource,
    private readonly transactions: TenantTransactions,
  ) {}

  /**
   * Queues the cancellation of a valid document (docs/rules.md#cancellation).
   * @throws ApiError for every refusal; nothing is stored, charged or queued then
   */
  async cancel(
    caller: AuthenticatedCaller,
    { key, expectedTransactionId, isStrict = false, repeatedMembers }: CancelRequest,
    body: unknown,
  ): Promise<HttpResult> {
    const call: IdempotentRequest = { caller, operation: 'cancel', key, bodyHash: hashBody(body) };
    const read = readCancelBody(body, { isStrict, repeatedMembers });
    if ('problems' in read) {
      const replay = await this.idempotency.findReplay(call);
      if (replay !== null) return replay;
      throw new ValidationError(read.problems);
    }
    return this.idempotency.run(call, {
      read: () => this.read(caller, { key, documentId: read.documentId }),
      decide: (found) => decide(found, { ...read, actor: caller.actor, expectedTransactionId }),
    });
  }

  private read(caller: Caller, call: { key: string; documentId: string }): Promise<ReadForCancel> {
    return this.transactions.inShare(caller, () => readForCancel(this.dataSource, caller, call));
  }
}

/** @throws ApiError for every refusal of docs/rules.md#cancellation that the document's own rows decide */
function decide(
  { now, tin, document }: ReadForCancel,
  { reason, warnings, actor, expectedTransactionId }: Decided,
): Decision {
  if (tin === null) throw new SupplierProfileIncompleteError(['TIN']);
  if (document === null) throw new NotFoundError('document');
  if ((expectedTransactionId ?? document.transactionId) !== document.transactionId) throw new DocumentChangedError();
  const deadlineAt = assertCancellable(document, now);
  const cancellationId = uuidv7({ msecs: now.getTime() });
  return {
    status: 202,
    body: { documentId: document.documentId, transactionId: cancellationId, ...toResponseWarnings(warnings.collect()) },
    charge: { credits: CREDITS_PER_CANCEL, documentCount: 1 },
    causeId: cancellationId,
    precondition: document,
    writes: JSON.stringify({ reason, ...actor, deadlineAt }),
  };
}

/**
 * Until when the authority cancels the document.
 * @throws CancellationConflictError (409), in the order of docs/rules.md#cancellation
 */
export function assertCancellable(document: CancellableDocument, now: Date): Date {
  const { submissionStatus, authorityStatus } = document;
  if (authorityStatus !== 'Valid' || document.validatedAt === null) {
    const message = `Only a Valid document can be cancelled; this one is ${authorityStatus ?? submissionStatus}`;
    throw new CancellationConflictError('document_not_valid', message, { submissionStatus, authorityStatus });
  }
  if (document.cancellationUnderWay !== null) {
    const message = 'A cancellation of this document is already under way; follow it in the submission status';
    throw new CancellationConflictError('cancellation_in_progress', message, {
      transactionId: document.cancellationUnderWay,
    });
  }
  const until = computeWindowEnd(document, document.validatedAt);
  if (now >= until) {
    const message = 'The 72 hours in which the authority cancels a document have passed; issue a credit note instead';
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
  return until;
}

/** 72 hours after the validation, or earlier when the authority has refused a cancellation as too late. */
function computeWindowEnd({ windowClosedAt }: CancellableDocument, validatedAt: string): Date {
  const until = computeCancellableUntil(new Date(validatedAt));
  if (windowClosedAt === null) return until;
  return new Date(Math.min(until.getTime(), Date.parse(windowClosedAt)));
}
