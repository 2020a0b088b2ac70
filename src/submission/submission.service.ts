import { Injectable } from '@nestjs/common';
import { CreditsService } from '../credits/credits.service.js';
import { type AuthenticatedCaller, type Caller, TenantTransactions } from '../database/in-tenant.js';
import { formatOnBehalfOf } from '../documents/identity.js';
import { withFailpoints } from '../common/failpoints/failpoints.js';
import type { HttpResult } from '../http/http-result.js';
import type { Decision } from '../idempotency/decision.js';
import { buildCreditHeaders, IdempotencyService } from '../idempotency/idempotency.service.js';
import { formatTraceparent } from '../observability/tracing/tracing.js';
import { encodeWrites, type AcceptedSubmit, decideSubmit } from './decide-submit.js';
import type { SubmitDryRunDto } from './dto/submit-dry-run.dto.js';
import type { PreparedSubmit } from './prepare-submit.js';
import { type SubmitRead, SubmitReader } from './submit-reader.js';
import type { SubmitRequest } from './submit-request.js';

@Injectable()
export class SubmissionService {
  constructor(
    private readonly reader: SubmitReader,
    private readonly transactions: TenantTransactions,
    private readonly idempotency: IdempotencyService,
    private readonly credits: CreditsService,
  ) {}

  /**
   * Reads and decides a batch, then charges and queues all of it in one database transaction. A dry run stops after the
   * decision (docs/rules.md#order-of-checks).
   * @throws ApiError for every rejection, which stores, charges and queues nothing
   */
  async submit(caller: AuthenticatedCaller, request: SubmitRequest, prepared: PreparedSubmit): Promise<HttpResult> {
    const { environment } = caller;
    const { expectedAttempts } = request;
    const key = request.isDryRun ? null : request.key;
    const documents = 'problems' in prepared ? [] : prepared.documents;
    const read = this.reader.createRead(caller, { key, documents, expectedAttempts });
    const decide = (found: SubmitRead) => decideSubmit(found, { environment, prepared, expectedAttempts });
    if (request.isDryRun) return this.previewCharge(caller, decide(await read()));
    const { span } = request;
    return this.idempotency.run(
      { caller, operation: 'submit', key: request.key, bodyHash: prepared.bodyHash, span },
      {
        read,
        decide,
        encode: ({ batch, rows, supplier }) =>
          encodeWrites(rows, batch, {
            submissionType: batch.submissionType,
            supplier,
            onBehalfOf: formatOnBehalfOf(supplier),
            traceparent: formatTraceparent(span),
            ...caller.actor,
          }),
      },
    );
  }

  /** Does not reserve numbers or credits for a later submit (docs/rules.md#dry-run). */
  private async previewCharge(caller: Caller, decision: Decision<AcceptedSubmit>): Promise<HttpResult> {
    if ('refusal' in decision) throw decision.refusal;
    if ('replay' in decision) throw new Error('A dry run has no idempotency-key');
    const { batch, charge, warnings } = decision.accepted;
    const { remaining } = await withFailpoints('accept.dry_run', () =>
      this.transactions.inTenant(caller, (transaction) => this.credits.previewCharge(transaction, caller, charge)),
    );
    const documents = batch.documents.map(({ document: { documentType, referenceId }, totals }) => ({
      documentType,
      referenceId,
      totals,
    }));
    const body: SubmitDryRunDto = { dryRun: true, requiredCredits: charge.credits, documents, ...warnings };
    return { status: 200, headers: buildCreditHeaders(0, remaining), body };
  }
}
