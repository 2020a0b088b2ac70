import { Injectable } from '@nestjs/common';
import { parseJsonText } from '../../common/parse-json-text.js';
import type { UserActor } from '../../accounts/audit.js';
import type { CancelAcceptedDto } from '../../cancellation/dto/cancel.dto.js';
import { CREDITS_PER_CANCEL, CREDITS_PER_DOCUMENT } from '../../credits/prices.js';
import { isUserRefusal } from '../../database/access.js';
import type { AuthenticatedCaller } from '../../database/in-tenant.js';
import type { BulkItemState, BulkProblem } from '../../entities/bulk-job-item.entity.js';
import { ApiError, ValidationError } from '../../errors/api-error.js';
import { DocumentChangedError } from '../../errors/dashboard-errors.js';
import type { HttpResult } from '../../http/http-result.js';
import { RateLimitHook } from '../../rate-limits/rate-limit.hook.js';
import type { SubmitAcceptedDto } from '../../submission/dto/submit-accepted.dto.js';
import type { SubmitDryRunDto } from '../../submission/dto/submit-dry-run.dto.js';
import type { PreparedSubmit } from '../../submission/prepare-submit.js';
import type { SubmitRequest } from '../../submission/submit-request.js';
import { SubmitWorkers } from '../../submission/submit-workers.js';
import { SubmissionsService } from '../organisation/submissions.service.js';
import { CancelService } from '../transactions/cancel.service.js';
import { describeField } from '../transactions/field-names.js';
import { TransactionDetailService } from '../transactions/transaction-detail.service.js';
import { setBulkField } from './bulk-fields.js';
import type { LeasedJob, OpenItem } from './bulk-jobs.sql.js';

/** A job and the member on whose behalf it submits. */
export interface BulkWork {
  readonly jobId: string;
  readonly job: LeasedJob;
  readonly caller: AuthenticatedCaller;
  readonly actor: UserActor;
  /** Start of the turn. */
  readonly now: Date;
}

export interface ItemResult {
  readonly state: Exclude<BulkItemState, 'waiting'>;
  readonly body: string | null;
  readonly credits: number;
  readonly problems: readonly BulkProblem[];
  readonly resultId: string | null;
}

/** Pauses the whole job, because the cause would stop every document. */
export interface JobStop {
  readonly pauseReason: string;
}

/** Codes of transient errors, after which the document is retried. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set(['idempotency_key_in_progress']);
const SERVER_ERRORS = 500;

/** Checks, submits or cancels one document of a bulk job on behalf of a member. */
@Injectable()
export class BulkWorkService {
  constructor(
    private readonly details: TransactionDetailService,
    private readonly submissions: SubmissionsService,
    private readonly cancellation: CancelService,
    private readonly workers: SubmitWorkers,
    private readonly limits: RateLimitHook,
  ) {}

  /**
   * Runs a dry run of one document.
   * @throws RateLimitedError (429) or an error of the service; the caller must retry
   */
  async check(work: BulkWork, item: OpenItem): Promise<ItemResult> {
    try {
      return await (work.job.kind === 'correct' ? this.checkCorrection(work, item) : this.checkCancel(work, item));
    } catch (error) {
      const refusal = asRefusal(error);
      return isChange(refusal) ? toEnd('changed', refusal) : toEnd('refused', refusal);
    }
  }

  /**
   * Submits or cancels one document. Retries have no effect, because the idempotency key consists of job and document.
   * @throws RateLimitedError (429) or an error of the service; the caller must retry
   */
  async carryOut(work: BulkWork, item: OpenItem): Promise<ItemResult | JobStop> {
    try {
      return await (work.job.kind === 'correct' ? this.resubmit(work, item) : this.cancel(work, item));
    } catch (error) {
      const refusal = asRefusal(error);
      if (refusal.status === 402 || refusal.status === 403) return { pauseReason: explainPause(refusal) };
      // The document has changed since it was checked.
      return refusal.status === 409 ? toEnd('changed', refusal) : toEnd('failed', refusal);
    }
  }

  private async checkCorrection(work: BulkWork, { transactionId, attempt }: OpenItem): Promise<ItemResult> {
    const { caller, job } = work;
    const { content } = await this.details.request(caller, transactionId);
    const { errors } = await this.details.read(caller, transactionId);
    const request = parseJsonText(content.toString()) as object;
    const errorPointers = errors.flatMap(({ pointer }) => pointer ?? []);
    if (!setBulkField(request, { field: job.field ?? '', value: job.value, errorPointers })) return WITHOUT_BUYER;
    const body = JSON.stringify(request);
    try {
      const response = await this.submit(work, body, { isDryRun: true, expectedAttempts: attempt });
      const { requiredCredits } = response.body as SubmitDryRunDto;
      return { ...READY, body, credits: requiredCredits };
    } catch (error) {
      // A dry run checks the credits last. Missing credits are ignored here because the start of the job compares the
      // credits for all documents.
      if (!(error instanceof ApiError) || error.status !== 402) throw error;
      return { ...READY, body, credits: CREDITS_PER_DOCUMENT };
    }
  }

  private async checkCancel({ caller }: BulkWork, { transactionId }: OpenItem): Promise<ItemResult> {
    const { cancel, isCurrent } = await this.details.read(caller, transactionId);
    if (!isCurrent) throw new DocumentChangedError();
    if (cancel.isPossible) return { ...READY, credits: CREDITS_PER_CANCEL };
    return { ...READY, state: 'refused', problems: [{ field: null, message: cancel.reason ?? '', hint: null }] };
  }

  private async resubmit(work: BulkWork, { transactionId, attempt, body }: OpenItem): Promise<ItemResult> {
    const request = { isDryRun: false, key: toKey(work, transactionId), expectedAttempts: attempt } as const;
    const response = await this.submit(work, body ?? '', request);
    const { documents, submissionBatchId } = readBody(response) as SubmitAcceptedDto;
    return { ...DONE, credits: documents.length * CREDITS_PER_DOCUMENT, resultId: submissionBatchId };
  }

  private async cancel(work: BulkWork, { transactionId, documentId }: OpenItem): Promise<ItemResult> {
    const { caller, actor, job } = work;
    const member = { tenantId: caller.tenantId, actor };
    const key = toKey(work, transactionId);
    const call = {
      member,
      caller,
      key,
      documentId,
      handling: { isStrict: false },
      expectedTransactionId: transactionId,
    };
    const response = await this.cancellation.cancel(call, { cancellationReason: job.value });
    const accepted = readBody(response) as CancelAcceptedDto;
    return { ...DONE, credits: CREDITS_PER_CANCEL, resultId: accepted.transactionId };
  }

  private async submit({ caller, actor, now }: BulkWork, body: string, request: SubmitRequest): Promise<HttpResult> {
    await this.limits.countSubmit(caller.tenantId);
    const options = { now, isStrict: false };
    const prepared: PreparedSubmit = await this.workers.prepare(Buffer.from(body), options, caller.tenantId);
    return this.submissions.submit(caller, actor, { request, body: prepared });
  }
}

const READY: ItemResult = { state: 'ready', body: null, credits: 0, problems: [], resultId: null };
const DONE: ItemResult = { ...READY, state: 'done' };
const WITHOUT_BUYER: ItemResult = {
  ...READY,
  state: 'refused',
  problems: [{ field: 'Buyer', message: 'This document has no buyer, so the field cannot be corrected', hint: null }],
};

function toKey({ jobId }: BulkWork, transactionId: string): string {
  return `bulk-job ${jobId} ${transactionId}`.replaceAll(' ', '-');
}

function readBody({ body }: HttpResult): unknown {
  return typeof body === 'string' ? parseJsonText(body) : body;
}

/**
 * Returns the error if it concerns the document.
 * @throws every other error
 */
function asRefusal(error: unknown): ApiError {
  const isOfDocument = !isUserRefusal(error) && error instanceof ApiError;
  const isRefusal = isOfDocument && error.status < SERVER_ERRORS && error.status !== 429;
  if (!isRefusal || TRANSIENT_CODES.has(error.code)) throw error;
  return error;
}

function isChange(refusal: ApiError): boolean {
  return refusal instanceof DocumentChangedError;
}

function toEnd(state: 'refused' | 'changed' | 'failed', refusal: ApiError): ItemResult {
  return { ...READY, state, problems: toProblems(refusal) };
}

const PROBLEMS_KEPT_MAX = 20;

function toProblems(refusal: ApiError): BulkProblem[] {
  if (!(refusal instanceof ValidationError)) return [{ field: null, message: refusal.message, hint: null }];
  return refusal.problems.slice(0, PROBLEMS_KEPT_MAX).map(({ pointer, message, hint }) => {
    return { field: describeField(pointer), message, hint: hint ?? null };
  });
}

function explainPause({ status, message }: ApiError): string {
  return status === 402 ? 'Your organisation has too few credits: order credits, then continue' : message;
}
