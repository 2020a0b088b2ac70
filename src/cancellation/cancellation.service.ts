import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { hashBody } from '../common/canonical-json.js';
import { NotFoundError, ValidationError } from '../errors/api-error.js';
import { DocumentChangedError } from '../errors/dashboard-errors.js';
import { CancellationConflictError } from './cancellation-conflict-error.js';
import { SupplierProfileIncompleteError } from '../tenants/supplier-errors.js';
import type { HttpResult } from '../http/http-result.js';
import { CREDITS_PER_CANCEL } from '../credits/prices.js';
import type { BodyHandling } from '../http/request-headers.js';
import { type AuthenticatedCaller, type Caller, TenantTransactions } from '../database/in-tenant.js';
import { computeCancellableUntil } from '../documents/statuses.js';
import { type Acceptance, type Decision, findReplay } from '../idempotency/decision.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import { toResponseWarnings } from '../http/validation/warning-list.js';
import { readCancelBody } from './cancel-body.js';
import { type CancellableDocument, readForCancel, type ReadForCancel } from './cancellation.sql.js';

export interface CancelRequest extends Partial<BodyHandling> {
  readonly key: string;
  /** The attempt that the caller has seen; the latest one by default. */
  readonly expectedTransactionId?: string;
}

@Injectable()
export class CancellationService {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly dataSource: DataSource,
    private readonly transactions: TenantTransactions,
  ) {}

  /**
   * Queues the cancellation of a valid document (docs/rules.md#cancellation).
   * @throws ApiError for every refusal, in which case nothing was stored or charged
   */
  async cancel(
    caller: AuthenticatedCaller,
    { key, expectedTransactionId, isStrict = false, repeatedMembers }: CancelRequest,
    sent: unknown,
  ): Promise<HttpResult> {
    const body = readCancelBody(sent, { isStrict, repeatedMembers });
    const documentId = 'problems' in body ? null : body.documentId;
    const bodyHash = hashBody(sent).toString('hex');
    return this.idempotency.run(
      { caller, operation: 'cancel', key, bodyHash },
      {
        read: () => this.read(caller, { key, documentId }),
        decide: (read) => decide(read, { bodyHash, body, expectedTransactionId }),
        encode: ({ reason, deadlineAt }) => JSON.stringify({ reason, ...caller.actor, deadlineAt }),
      },
    );
  }

  private read(caller: Caller, call: { key: string; documentId: string | null }): Promise<ReadForCancel> {
    return this.transactions.inShare(caller, () => readForCancel(this.dataSource, caller, call));
  }
}

interface CancelInput extends Pick<CancelRequest, 'expectedTransactionId'> {
  readonly body: ReturnType<typeof readCancelBody>;
  readonly bodyHash: string;
}

interface AcceptedCancel extends Acceptance {
  readonly reason: string;
  readonly deadlineAt: Date;
}

function decide(read: ReadForCancel, { bodyHash, body, expectedTransactionId }: CancelInput): Decision<AcceptedCancel> {
  const replay = findReplay(read, bodyHash);
  if (replay !== null) return replay;
  if ('problems' in body) return { refusal: new ValidationError(body.problems) };
  const { now, tin, document } = read;
  if (tin === null) return { refusal: new SupplierProfileIncompleteError(['TIN']) };
  if (document === null) return { refusal: new NotFoundError('document') };
  if ((expectedTransactionId ?? document.transactionId) !== document.transactionId) {
    return { refusal: new DocumentChangedError() };
  }
  const deadlineAt = computeCancelDeadline(document, now);
  if (deadlineAt instanceof CancellationConflictError) return { refusal: deadlineAt };
  const cancellationId = uuidv7({ msecs: now.getTime() });
  const { reason, warnings } = body;
  return {
    accepted: {
      reason,
      deadlineAt,
      status: 202,
      body: {
        documentId: document.documentId,
        transactionId: cancellationId,
        ...toResponseWarnings(warnings.collect()),
      },
      charge: { credits: CREDITS_PER_CANCEL, documentCount: 1 },
      causeId: cancellationId,
      precondition: document,
    },
  };
}

/**
 * Returns until when the authority cancels a document, or why it does not (409), in the order
 * of docs/rules.md#cancellation.
 */
export function computeCancelDeadline(document: CancellableDocument, now: Date): Date | CancellationConflictError {
  const { submissionStatus, authorityStatus } = document;
  if (authorityStatus !== 'Valid' || document.validatedAt === null) {
    const message = `Only a Valid document can be cancelled; this one is ${authorityStatus ?? submissionStatus}`;
    return new CancellationConflictError('document_not_valid', message, { submissionStatus, authorityStatus });
  }
  if (document.cancellationUnderWay !== null) {
    const message = 'A cancellation of this document is already under way; follow it in the submission status';
    return new CancellationConflictError('cancellation_in_progress', message, {
      transactionId: document.cancellationUnderWay,
    });
  }
  const until = computeWindowEnd(document, document.validatedAt);
  if (now >= until) {
    const message = 'The 72 hours in which the authority cancels a document have passed; issue a credit note instead';
    return new CancellationConflictError('cancellation_window_closed', message, {
      cancellableUntil: until.toISOString(),
    });
  }
  if (document.referencingDocuments.length > 0) {
    const listed = document.referencingDocuments.join(', ');
    const message = `Credit notes refer to this document; cancel them first: ${listed}`;
    return new CancellationConflictError('active_referencing_documents', message, {
      referencingDocuments: document.referencingDocuments,
    });
  }
  return until;
}

/** Returns 72 hours after the validation, or the time when the authority refused a cancellation as too late. */
function computeWindowEnd({ windowClosedAt }: CancellableDocument, validatedAt: string): Date {
  const until = computeCancellableUntil(new Date(validatedAt));
  if (windowClosedAt === null) return until;
  return new Date(Math.min(until.getTime(), Date.parse(windowClosedAt)));
}
