import { Injectable } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { parseJsonText } from '../../common/parse-json-text.js';
import { appendAudit } from '../../accounts/audit.js';
import { CancellationService } from '../../cancellation/cancellation.service.js';
import type { CancelAcceptedDto } from '../../cancellation/dto/cancel.dto.js';
import { Document } from '../../entities/document.entity.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { NotFoundError } from '../../errors/api-error.js';
import type { BodyHandling } from '../../http/request-headers.js';
import { isJsonObject } from '../../http/validation/shape.js';
import type { HttpResult } from '../../http/http-result.js';
import { runWithoutAccess } from '../../database/access.js';
import { DashboardTransactions } from '../../database/database.module.js';
import type { AuthenticatedCaller } from '../../database/in-tenant.js';
import type { Member } from '../session/access.js';

/** Cancel request of a member. */
export interface CancelCall {
  readonly member: Pick<Member, 'tenantId' | 'actor'>;
  readonly caller: AuthenticatedCaller;
  readonly key: string;
  readonly documentId: string;
  readonly handling: BodyHandling;
  /** Rejects the cancel if the document has another current attempt. */
  readonly expectedTransactionId?: string;
}

@Injectable()
export class CancelService {
  constructor(
    private readonly cancellation: CancellationService,
    private readonly transactions: DashboardTransactions,
  ) {}

  /**
   * Cancels a document with the rules of the API (docs/rules.md#cancellation). The audit entry is added in a separate
   * database transaction, because accepting is a single statement. A retry with the same key adds a missing entry.
   * @throws ApiError for the same reasons as a cancel of the API
   */
  async cancel(
    { member, caller, key, documentId, handling, expectedTransactionId }: CancelCall,
    body: unknown,
  ): Promise<HttpResult> {
    if (!isUuid(documentId)) throw new DashboardError('not_found_here');
    const response = await this.cancellation
      .cancel(
        caller,
        { key, ...handling, expectedTransactionId },
        isJsonObject(body) ? { ...body, documentId } : { documentId },
      )
      .catch(toDashboardError);
    const { transactionId } = readAccepted(response);
    // The cancel is already accepted, so the audit entry is added even if the member has been removed meanwhile.
    await runWithoutAccess(() =>
      this.transactions.inTenant(caller, async ({ tx }) => {
        const { tenantId } = member;
        const { referenceId } = await tx.findOneByOrFail(Document, { tenantId, id: documentId });
        await appendAudit(tx, member.actor, {
          tenantId,
          action: 'document.cancellation_requested',
          subject: documentId,
          details: { environment: caller.environment, transactionId, referenceId },
          madeId: transactionId,
        });
      }),
    );
    return response;
  }
}

function toDashboardError(error: unknown): never {
  if (error instanceof NotFoundError) throw new DashboardError('not_found_here');
  throw error;
}

function readAccepted({ body }: HttpResult): CancelAcceptedDto {
  return (typeof body === 'string' ? parseJsonText(body) : body) as CancelAcceptedDto;
}
