import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Attributes } from '@opentelemetry/api';
import { DataSource, type EntityManager } from 'typeorm';
import { measureSent } from '../../common/metrics.js';
import { AuthorityCalls } from '../../authority/authority-calls.js';
import { AuthorityTokens, type WaitLimits } from '../../authority/tokens.js';
import { buildSubmitBody } from '../../authority/wire.js';
import { withFailpoints } from '../../common/failpoints/failpoints.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { Tracing } from '../../observability/tracing/tracing.js';
import type { CallWindow } from './call-windows.js';
import type { ClaimedSubmission, LoginNeeded } from './claimed-submission.js';
import { LeaseLostError, settleLoginFailure, settleSubmission } from './settle.js';

// Documents with any other outcome are queued again.
const SENT: ReadonlySet<string> = new Set(['accepted', 'duplicate', 'unknown']);

interface Delivery {
  readonly submission: ClaimedSubmission;
  readonly window: CallWindow<'submit'>;
  readonly signal: AbortSignal;
  readonly claimedSince: Date;
}

/** Sends a claimed call and stores its outcome. No database transaction is open during the call. */
@Injectable()
export class DeliveryService {
  private readonly logger = new Logger(DeliveryService.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly authority: AuthorityCalls,
    private readonly tokens: AuthorityTokens,
    private readonly tracing: Tracing,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  async logIn(needed: LoginNeeded, limits: WaitLimits): Promise<void> {
    const outcome = await this.tokens.logInAgain(needed.environment, needed.taxpayer, limits);
    if (outcome.kind === 'token') return;
    await this.settle((tx) => settleLoginFailure(tx, needed, outcome));
  }

  async deliver({ submission, window, signal, claimedSince }: Delivery): Promise<void> {
    const { taxpayer, members, waits, environment } = submission;
    const untilSlot = window.slot.remainingMs / 1_000;
    const referenceIds = members.map(({ referenceId }) => referenceId);
    const trace = this.tracing.startCall(
      members.map(({ traceparent }) => traceparent),
      { claimedSince, attributes: describeSubmission(submission) },
    );
    const call = { taxpayer, slot: window.slot, deadlineAt: window.deadlineAt, signal, trace };
    const outcome = await this.authority.submit(call, { body: buildSubmitBody(members), referenceIds });
    trace.span.setAttribute('einvoice.outcome', outcome.kind).end();
    if (SENT.has(outcome.kind)) {
      measureSent(
        environment,
        waits.map((wait) => ({
          sinceAccept: wait.sinceAccept + untilSlot,
          sinceTurn: wait.sinceTurn + untilSlot,
        })),
      );
    }
    const { times } = this.configuration;
    const { isTrial } = window.slot;
    try {
      await this.settle((tx) => settleSubmission(tx, { submission, outcome, isTrial, times }));
    } catch (error) {
      if (!(error instanceof LeaseLostError)) throw error;
      this.logger.warn(error.message);
    }
  }

  private async settle(work: (tx: EntityManager) => Promise<unknown>): Promise<void> {
    await withFailpoints('dispatch.settle', () => this.dataSource.transaction(work));
  }
}

function describeSubmission({
  tenantId,
  environment,
  submissionId,
  members,
  earlierSends,
}: ClaimedSubmission): Attributes {
  return {
    'einvoice.tenant_id': tenantId,
    'einvoice.environment': environment,
    'einvoice.authority_submission_id': submissionId,
    'einvoice.documents': members.length,
    'einvoice.is_resend': earlierSends > 0,
  };
}
