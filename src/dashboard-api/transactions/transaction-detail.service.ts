import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { computeCancelDeadline } from '../../cancellation/cancellation.service.js';
import type { CancellableDocument } from '../../cancellation/cancellation.sql.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { type AuthoritySettings, type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { DashboardTransactions } from '../../database/database.module.js';
import type { Caller } from '../../database/in-tenant.js';
import { DOCUMENT_TYPE_ROWS } from '../../documents/document-types.js';
import type { Recipient, SimplifiedDocument } from '../../documents/simplified-document.js';
import { getAttemptState, mayResubmit } from '../../documents/statuses.js';
import { toRinggit } from '../../common/decimal.js';
import { computeTotals } from '../../documents/totals.js';
import { READ_STATUS, type StatusRow } from '../../status/status.sql.js';
import { toDocumentStatus } from '../../status/submission-status.js';
import type {
  AttemptDto,
  CancelOptionDto,
  CreditedDto,
  LinkedDocumentDto,
  TransactionContentDto,
  TransactionDto,
} from './dto/transaction.dto.js';
import { nameFields } from './field-names.js';
import { buildOptionalFields, buildRequest } from './build-request.js';
import { toShownErrors } from './shown-error.js';
import { type ShownStatus, toShownStatus } from './shown-status.js';
import { subtractNotes } from './uncredited.js';
import { type CancellationStep, type StatusMove, buildTimeline } from './timeline.js';
import {
  type AttemptRow,
  type BytesRow,
  READ_ATTEMPT,
  READ_ATTEMPTS,
  READ_BYTES,
  READ_CANCEL_REQUESTS,
  READ_CANCELLABLE,
  READ_MOVES,
  CREDIT_NOTES_MAX,
  type NoteRow,
  READ_CREDIT_NOTES,
  READ_NOTES,
  READ_PARENT,
} from './transaction-detail.sql.js';

export interface Download {
  readonly name: string;
  readonly content: Buffer;
}

interface Found {
  readonly now: Date;
  readonly attempt: AttemptRow;
  readonly row: StatusRow;
  readonly attempts: AttemptDto[];
  readonly moves: StatusMove[];
  readonly cancelRequests: CancellationStep[];
  readonly cancellable: CancellableDocument | null;
}

@Injectable()
export class TransactionDetailService {
  constructor(
    private readonly transactions: DashboardTransactions,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * Returns the status of an attempt, its history, all attempts of its document and the possible actions.
   * @throws DashboardError (404)
   */
  async read(caller: Caller, transactionId: string): Promise<TransactionDto> {
    const found = await this.find(caller, transactionId);
    const { now, attempt, row, attempts, moves, cancelRequests } = found;
    const payload = readStoredPayload(attempt);
    const { createdAt, updatedAt, isHeld, submittedBy, rejectionRequestedAt, needsAction, dismissal } = attempt;
    const status = toDocumentStatus(row, this.getAuthority(caller).portalUrl);
    const state = { submissionStatus: row.submission_status, authorityStatus: row.authority_status };
    return Object.assign({}, status, {
      status: toShownStatus(getAttemptState(state)),
      environment: caller.environment,
      submissionBatchId: attempt.submissionBatchId,
      submissionType: row.submission_type,
      attempt: attempt.attempt,
      isCurrent: attempt.isCurrent,
      mayResubmit: attempt.isCurrent && mayResubmit(state),
      needsAction,
      dismissal: dismissal && { ...dismissal, at: new Date(dismissal.at) },
      documentDate: payload.documentDate ?? '',
      buyer: payload.recipient ? toBuyer(payload.recipient) : null,
      lineCount: payload.lineItems?.length ?? 0,
      otherFields: nameFields(buildOptionalFields(payload)),
      createdAt,
      submittedBy,
      updatedAt,
      now,
      errors: toShownErrors(status.errors, { document: isWhole(payload) ? payload : null, supplier: attempt.supplier }),
      cancel: toCancelOption(found),
      builtDocument: toBuiltDocument(attempt),
      attempts,
      timeline: buildTimeline({ createdAt, isHeld, submittedBy, rejectionRequestedAt, moves, cancelRequests }),
    });
  }

  /** @throws DashboardError (404) */
  async request(caller: Caller, transactionId: string): Promise<Download> {
    const attempt = await this.transactions.inTenant(caller, async ({ tx }) => {
      const [row] = await tx.query<AttemptRow[]>(READ_ATTEMPT, toParameters(caller, transactionId));
      return row;
    });
    const document = readWholePayload(attempt);
    const text = `${JSON.stringify(buildRequest(document), null, 2)}\n`;
    return { name: fileName(document.referenceId, attempt.attempt, 'request'), content: Buffer.from(text) };
  }

  /**
   * Returns the request of an attempt with its parent invoice or credit notes.
   * @throws DashboardError (404)
   */
  content(caller: Caller, transactionId: string): Promise<TransactionContentDto> {
    const { tenantId, environment } = caller;
    return this.transactions.inTenant(caller, async ({ tx }) => {
      const [attempt] = await tx.query<AttemptRow[]>(READ_ATTEMPT, toParameters(caller, transactionId));
      const document = readWholePayload(attempt);
      const { documentType, referenceId, relatedInvoice } = document;
      const { parentType } = DOCUMENT_TYPE_ROWS[documentType];
      if (parentType === null || relatedInvoice === null) {
        const asParent = [tenantId, environment, attempt.authorityUuid, documentType, referenceId];
        const creditNotes = await tx.query<LinkedDocumentDto[]>(READ_CREDIT_NOTES, asParent);
        const credited = await readCredited(tx, tenantId, { document, creditNotes });
        return { request: buildRequest(document), parent: null, creditNotes, credited };
      }
      const named = [tenantId, environment, parentType, relatedInvoice.referenceId, relatedInvoice.authorityUuid];
      const [parent = null] = await tx.query<LinkedDocumentDto[]>(READ_PARENT, named);
      return { request: buildRequest(document), parent, creditNotes: [], credited: null };
    });
  }

  /** @throws DashboardError (404), also before the document is built */
  async builtDocument(caller: Caller, transactionId: string): Promise<Download> {
    const found = await this.transactions.inTenant(caller, async ({ tx }) => {
      const [row] = await tx.query<BytesRow[]>(READ_BYTES, toParameters(caller, transactionId));
      return row;
    });
    if (found === undefined) throw new DashboardError('not_found_here');
    const { referenceId, attempt, bytes } = found;
    if (bytes === null) {
      const message = 'This document has not been built yet: documents are built just before they are sent';
      throw new DashboardError('not_found_here', { message });
    }
    return { name: fileName(referenceId, attempt, 'document'), content: bytes };
  }

  private find(caller: Caller, transactionId: string): Promise<Found> {
    const { tenantId, environment } = caller;
    return this.transactions.inTenant(caller, async ({ tx, now }) => {
      const [attempt] = await tx.query<AttemptRow[]>(READ_ATTEMPT, toParameters(caller, transactionId));
      if (attempt === undefined) throw new DashboardError('not_found_here');
      const batch = [tenantId, environment, attempt.submissionBatchId, this.getAuthority(caller).clientId];
      const rows = await tx.query<StatusRow[]>(READ_STATUS, batch);
      const row = rows.find(({ transaction_id: id }) => id === transactionId);
      if (row === undefined) throw new Error(`The batch of transaction ${transactionId} does not hold it`);
      const ofDocument = [tenantId, attempt.documentId];
      const ofAttempt = [tenantId, transactionId];
      const [{ document }] = await tx.query<{ document: CancellableDocument | null }[]>(READ_CANCELLABLE, [
        tenantId,
        environment,
        attempt.documentId,
      ]);
      return {
        now,
        attempt,
        row,
        attempts: await tx.query<AttemptDto[]>(READ_ATTEMPTS, ofDocument),
        moves: await tx.query<StatusMove[]>(READ_MOVES, ofAttempt),
        cancelRequests: await tx.query<CancellationStep[]>(READ_CANCEL_REQUESTS, ofAttempt),
        cancellable: document,
      };
    });
  }

  private getAuthority({ environment }: Caller): AuthoritySettings {
    const authority = this.configuration.authorities[environment];
    if (authority === undefined) throw new DashboardError('environment_not_served');
    return authority;
  }
}

function toParameters({ tenantId, environment }: Caller, transactionId: string): string[] {
  return [tenantId, environment, transactionId];
}

function toBuyer({ name, tin, idType, idValue }: Recipient): TransactionDto['buyer'] {
  return { name, tin, idType, idValue };
}

function toBuiltDocument({ sha256, documentVersion, documentBytes }: AttemptRow): TransactionDto['builtDocument'] {
  if (sha256 === null || documentVersion === null || documentBytes === null) return null;
  return { sha256, version: documentVersion, bytes: documentBytes };
}

/** Applies the rules of a cancel (docs/rules.md#cancellation), except for the credits. */
function toCancelOption({ attempt, cancellable, now }: Found): CancelOptionDto {
  if (!attempt.isCurrent) {
    return { isPossible: false, reason: 'The document was submitted again: see its latest attempt' };
  }
  if (cancellable === null) throw new Error('A document of this transaction is missing');
  const deadlineAt = computeCancelDeadline(cancellable, now);
  if (deadlineAt instanceof Error) return { isPossible: false, reason: deadlineAt.message };
  return { isPossible: true, reason: null };
}

interface Credited {
  readonly document: SimplifiedDocument;
  readonly creditNotes: readonly LinkedDocumentDto[];
}

/** Statuses of credit notes that do not count. */
const CREDITS_NOTHING: readonly ShownStatus[] = ['SubmitFailed', 'Invalid', 'Cancelled'];

async function readCredited(
  tx: EntityManager,
  tenantId: string,
  { document, creditNotes }: Credited,
): Promise<CreditedDto | null> {
  const counted = creditNotes.filter(({ status }) => !CREDITS_NOTHING.includes(status));
  if (counted.length === 0 || creditNotes.length === CREDIT_NOTES_MAX) return null;
  const rows = await tx.query<NoteRow[]>(READ_NOTES, [tenantId, counted.map(({ transactionId }) => transactionId)]);
  const payableSen = computeTotals(document).totalPayableAmount;
  const creditedSen = rows.reduce((sum, note) => sum + note.payableSen, 0);
  const notes = rows.some(({ payload }) => payload === null) ? null : rows.map(readStoredPayload);
  const left = notes === null ? null : subtractNotes(document, notes as SimplifiedDocument[]);
  return {
    payableAmount: toRinggit(payableSen),
    leftAmount: toRinggit(payableSen - creditedSen),
    leftRequest: left === null ? null : buildRequest(left),
  };
}

function fileName(referenceId: string, attempt: number, what: 'request' | 'document'): string {
  return `${referenceId.replaceAll(/[^\w.-]+/g, '_')}-attempt-${attempt}-${what}.json`;
}

const UNREADABLE = { message: 'The request of this document cannot be shown because the stored data is incomplete' };

/** @throws DashboardError (404) for an unknown attempt or an incomplete payload */
function readWholePayload(attempt: AttemptRow | undefined): SimplifiedDocument {
  if (attempt === undefined) throw new DashboardError('not_found_here');
  const payload = readStoredPayload(attempt);
  if (!isWhole(payload)) throw new DashboardError('not_found_here', UNREADABLE);
  return payload;
}

function isWhole(payload: Partial<SimplifiedDocument>): payload is SimplifiedDocument {
  return payload.referenceId !== undefined && payload.lineItems !== undefined;
}

/** The payload of an unbuildable document (document_not_buildable) may be incomplete. */
function readStoredPayload({ payload }: Pick<AttemptRow, 'payload'>): Partial<SimplifiedDocument> {
  return (payload as Partial<SimplifiedDocument> | null) ?? {};
}
