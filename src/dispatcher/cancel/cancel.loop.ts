import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuthorityCalls } from '../../authority/authority-calls.js';
import type { CallSlot } from '../../authority/call-budget.js';
import type { CancelOutcome } from '../../authority/outcomes.js';
import { withFailpoints } from '../../common/failpoints/failpoints.js';
import type { Environment } from '../../config/environment.js';
import { readServiceNow } from '../../database/clock.js';
import { explainFindings } from '../../documents/error-catalogue.js';
import { CallWindows } from '../queue/call-windows.js';
import { contradictsConfirmed } from '../queue/document-identity.js';
import {
  type CancellationEnd,
  type ClaimedCancellation,
  claimCancellation,
  hasDueCancellation,
  settleCancellation,
} from './cancel.sql.js';
import { type Loop, RepeatedLoop } from '../../common/loops/loop.js';
import { OutcomeReader } from '../queue/outcome-reader.js';
import { changeStatuses } from '../queue/status-changes.js';

const SLOT_WITHIN_MS = 5_000;
const RETRY_SECONDS = 30;
/**
 * Delay before the next attempt if the authority refuses the call without showing whether the document is cancelled.
 */
const UNCLEAR_SECONDS = 300;
const INCORRECT_STATE = 'IncorrectState';

interface Attempt {
  readonly cancellation: ClaimedCancellation;
  readonly environment: Environment;
  readonly slot: CallSlot<'cancel'>;
  readonly signal: AbortSignal;
}

/** Cancels valid documents at the authority, earliest deadline first. */
@Injectable()
@RepeatedLoop({ name: 'cancel', intervalMs: 1_000, concurrency: 1 })
export class CancelLoop implements Loop {
  private readonly logger = new Logger(CancelLoop.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly authority: AuthorityCalls,
    private readonly outcomes: OutcomeReader,
    private readonly windows: CallWindows,
  ) {}

  async tick(signal: AbortSignal): Promise<number> {
    const made = this.windows.environments.map((environment) => this.cancelOne(environment, signal));
    return (await Promise.all(made)).filter(Boolean).length;
  }

  private async cancelOne(environment: Environment, signal: AbortSignal): Promise<boolean> {
    const clientId = this.windows.getClientId(environment);
    if (!(await hasDueCancellation(this.dataSource.manager, environment, clientId))) return false;
    const window = await this.windows.open(environment, 'cancel', SLOT_WITHIN_MS);
    if (window === null) return false;
    const { slot, owner, leaseSeconds } = window;
    const cancellation = await withFailpoints('cancel.claim', () =>
      claimCancellation(this.dataSource.manager, { environment, clientId, owner, leaseSeconds }),
    );
    if (cancellation === null) return false;
    const end = await this.callAuthority({ cancellation, environment, slot, signal });
    await withFailpoints('cancel.settle', () =>
      this.dataSource.transaction(async (tx) => {
        const now = await readServiceNow(tx);
        const { tenantId, transactionId } = cancellation;
        if (end.status === 'Completed' && !cancellation.isShownCancelled) {
          await changeStatuses(tx, { tenantId, now }, [
            { transactionId, to: 'cancelled', cause: 'cancelled', facts: { cancelledAt: now } },
          ]);
        }
        await settleCancellation(tx, { cancellation, owner, now }, end);
      }),
    );
    return true;
  }

  /** Skips the call if the document is already cancelled, because the authority refuses a repeated cancellation. */
  private async callAuthority(attempt: Attempt): Promise<CancellationEnd> {
    const { authorityUuid, reason, taxpayer, mayHaveArrived, isShownCancelled } = attempt.cancellation;
    if (isShownCancelled || (mayHaveArrived && (await this.isCancelled(attempt)) === true)) return COMPLETED;
    const call = { taxpayer, slot: attempt.slot, signal: attempt.signal };
    const outcome = await this.authority.cancel(call, { authorityUuid, reason });
    if (outcome.kind !== 'refused' || outcome.code !== INCORRECT_STATE) return endAfter(outcome);
    const isCancelled = await this.isCancelled(attempt);
    if (isCancelled === null && !attempt.cancellation.isLate) return this.waitForOutcome(attempt.cancellation);
    return isCancelled === true ? COMPLETED : endAfter(outcome);
  }

  /** Returns null if the details are unreadable or describe another document. */
  private async isCancelled({ cancellation, environment, signal }: Attempt): Promise<boolean | null> {
    const { authorityUuid } = cancellation;
    const summary = await this.outcomes.readSummary({ environment, submission: cancellation, authorityUuid, signal });
    if (summary === null || contradictsConfirmed(cancellation, summary)) return null;
    return summary.status === 'Cancelled';
  }

  /**
   * Keeps the cancellation open because a poll may still show the outcome. After the deadline, the refusal is final.
   */
  private waitForOutcome({ referenceId, cancellationId }: ClaimedCancellation): CancellationEnd {
    this.logger.warn(
      `The authority refuses cancellation ${cancellationId} of ${referenceId} and does not show whether the document is cancelled`,
    );
    return { status: 'Processing', errors: [], retrySeconds: UNCLEAR_SECONDS };
  }
}

const COMPLETED: CancellationEnd = { status: 'Completed', errors: [], retrySeconds: 0 };

function buildRetry(status: 'Queued' | 'Processing'): CancellationEnd {
  return { status, errors: [], retrySeconds: RETRY_SECONDS };
}

function endAfter(outcome: CancelOutcome): CancellationEnd {
  switch (outcome.kind) {
    case 'cancelled':
      return COMPLETED;
    case 'refused':
    case 'forbidden':
      return { status: 'Failed', errors: explainFindings(outcome.errors, null), retrySeconds: 0 };
    case 'unknown':
      return buildRetry('Processing');
    case 'not-appointed':
    case 'unauthorized':
      return { ...buildRetry('Queued'), isNotAppointed: true };
    case 'client-refused':
    case 'throttled':
    case 'unavailable':
      return buildRetry('Queued');
  }
}
