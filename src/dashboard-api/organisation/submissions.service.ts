import { Injectable } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { parseJsonText } from '../../common/parse-json-text.js';
import { appendAudit, type UserActor } from '../../accounts/audit.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import type { HttpResult } from '../../http/http-result.js';
import { runWithoutAccess } from '../../database/access.js';
import { DashboardTransactions } from '../../database/database.module.js';
import type { AuthenticatedCaller } from '../../database/in-tenant.js';
import { AuditEntry } from '../../entities/audit-entry.entity.js';
import { SubmissionBatch } from '../../entities/submission-batch.entity.js';
import { StatusService } from '../../status/status.service.js';
import type { SubmitAcceptedDto } from '../../submission/dto/submit-accepted.dto.js';
import type { PreparedSubmit } from '../../submission/prepare-submit.js';
import { SubmissionService } from '../../submission/submission.service.js';
import type { SubmitRequest } from '../../submission/submit-request.js';

@Injectable()
export class SubmissionsService {
  constructor(
    private readonly transactions: DashboardTransactions,
    private readonly submission: SubmissionService,
    private readonly status: StatusService,
  ) {}

  /** @throws ApiError for the same reasons as a submit of the API */
  async submit(
    caller: AuthenticatedCaller,
    actor: UserActor,
    { request, body }: { request: SubmitRequest; body: PreparedSubmit },
  ): Promise<HttpResult> {
    const response = await this.submission.submit(caller, request, body);
    // The documents are already accepted, so the audit entry is added even if the member has been removed meanwhile.
    if (!request.isDryRun) await runWithoutAccess(() => this.recordAccepted(caller, actor, response));
    return response;
  }

  /** @throws DashboardError or NotFoundError (404) for a batch of another organisation or environment */
  async read(caller: AuthenticatedCaller, submissionBatchId: string): Promise<HttpResult> {
    if (!isUuid(submissionBatchId)) throw new DashboardError('not_found_here');
    return this.status.read(caller, submissionBatchId);
  }

  // Uses a separate database transaction, because accepting is a single statement. A retry with the same key adds a
  // missing entry, unless another caller sent the batch.
  private async recordAccepted({ tenantId, environment }: AuthenticatedCaller, actor: UserActor, { body }: HttpResult) {
    const { submissionBatchId, documents } = readAccepted(body);
    await this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      const entry = { tenantId, action: 'documents.submitted', subject: submissionBatchId } as const;
      const isOwn = await tx.existsBy(SubmissionBatch, { tenantId, id: submissionBatchId, userId: actor.userId });
      if (!isOwn || (await tx.existsBy(AuditEntry, entry))) return;
      await appendAudit(tx, actor, {
        ...entry,
        details: { environment, documents: documents.map(({ referenceId }) => referenceId) },
        madeId: submissionBatchId,
      });
    });
  }
}

function readAccepted(body: HttpResult['body']): SubmitAcceptedDto {
  return (typeof body === 'string' ? parseJsonText(body) : body) as SubmitAcceptedDto;
}
