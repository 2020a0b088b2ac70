import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Taxpayer } from '../authority/tokens.js';
import { at } from '../common/failpoints.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import type { Environment } from '../config/environment.js';
import { serviceNow } from '../database/clock.js';
import { CallWindows } from './call-windows.js';
import type { Loop } from './loop.js';
import { findMembers, isTooLateToResend, type SearchFindings } from './reconcile-plan.js';
import {
  claimDoubtful,
  type DoubtfulSubmission,
  expireLeases,
  findDoubtfulLane,
  heldUuids,
  holdDoubtful,
  keepDoubtful,
  putOff,
  setAccepted,
  setMissing,
  setNextLook,
  splitOff,
} from './reconcile.sql.js';
import { ResendService } from './resend.service.js';
import { SubmittedDocuments } from './submitted-documents.js';
import { changeStatuses } from './status-changes.js';

const PUT_OFF_SECONDS = 30;

/** Finds out what became of calls without an answer: found ones are adopted, those missing twice are sent again. */
@Injectable()
export class ReconcileLoop implements Loop {
  readonly name = 'reconcile';
  readonly schedule = { intervalMs: 2_000, lanes: 1 };
  private readonly logger = new Logger(ReconcileLoop.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly submitted: SubmittedDocuments,
    private readonly resend: ResendService,
    private readonly windows: CallWindows,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** Looks one tenant's unknown calls up in each environment; returns how many calls were looked up. */
  async tick(signal: AbortSignal): Promise<number> {
    const { reconcileGraceSeconds } = this.configuration.times;
    await at('reconcile.expire', () => expireLeases(this.dataSource.manager, reconcileGraceSeconds));
    let looked = 0;
    for (const environment of this.windows.environments) {
      looked += await this.lookUp(environment, signal);
    }
    return looked;
  }

  private async lookUp(environment: Environment, signal: AbortSignal): Promise<number> {
    const lane = await findDoubtfulLane(this.dataSource.manager, environment);
    if (lane === null) return 0;
    const slot = await this.submitted.reserve(environment);
    if (slot === null) return 0;
    const { dispatchLeaseSeconds } = this.configuration.times;
    const submissions = await at('reconcile.claim', () =>
      this.dataSource.transaction((tx) => claimDoubtful(tx, lane, dispatchLeaseSeconds)),
    );
    if (submissions.length === 0) return 0;
    const taxpayer: Taxpayer = { tenantId: lane.tenantId, tin: lane.tin, idType: lane.idType, idValue: lane.idValue };
    const keep = (kept: readonly DoubtfulSubmission[], waitSeconds: number): Promise<void> =>
      at('reconcile.keep', () =>
        keepDoubtful(this.dataSource.manager, lane, { submissions: kept, seconds: waitSeconds + dispatchLeaseSeconds }),
      );
    const goOn = (slotWaitSeconds: number): Promise<void> => keep(submissions, slotWaitSeconds);
    const shown = await this.submitted.around({ taxpayer, slot, signal, goOn }, submissions);
    if (shown === null) {
      await at('reconcile.put_off', () =>
        putOff(this.dataSource.manager, lane, { submissions, seconds: PUT_OFF_SECONDS }),
      );
      return 0;
    }
    const uuids = shown.map(({ authorityUuid }) => authorityUuid);
    const held = await heldUuids(this.dataSource.manager, lane.tenantId, uuids);
    for (const [index, submission] of submissions.entries()) {
      const findings = findMembers(submission.members, shown, held);
      if (!(await this.decide(submission, findings))) continue;
      await this.resend.send({ submission, taxpayer, signal });
      // A send may take as long as its deadline; the others keep what the search has shown of them.
      await keep(submissions.slice(index + 1), 0);
    }
    return submissions.length;
  }

  /** Writes what the search showed; true when the call is to be sent again. */
  private decide(submission: DoubtfulSubmission, findings: SearchFindings): Promise<boolean> {
    return at('reconcile.decide', () =>
      this.dataSource.transaction(async (tx) => {
        if (!(await holdDoubtful(tx, submission))) return false;
        const now = await serviceNow(tx);
        if (findings.found.length > 0) await this.adopt(tx, submission, { findings, now });
        else if (findings.contested.length > 0) await this.wait(tx, submission, { findings, now });
        else return this.decideMissing(tx, submission, now);
        return false;
      }),
    );
  }

  private async adopt(
    tx: EntityManager,
    submission: DoubtfulSubmission,
    { findings, now }: { findings: SearchFindings; now: Date },
  ): Promise<void> {
    const { found, contested, missing } = findings;
    await changeStatuses(
      tx,
      { tenantId: submission.tenantId, now },
      found.map(({ member, summary }) => ({
        transactionId: member.transactionId,
        to: 'submitted',
        cause: 'adopted',
        facts: { authorityUuid: summary.authorityUuid, submittedAt: summary.receivedAt ?? now },
      })),
    );
    const nextLookAt = this.secondLookAt(now);
    if (missing.length > 0) await splitOff(tx, submission, { members: missing, why: 'missing', now, nextLookAt });
    if (contested.length > 0) await splitOff(tx, submission, { members: contested, why: 'contested', now, nextLookAt });
    await setAccepted(tx, submission, { submissionUid: found[0].summary.submissionUid, now });
  }

  /**
   * Nothing of the call can be adopted, and some of it did arrive: that is never sent again. Whoever holds its uuid loses it
   * when its own look finds out whose it is (PollLoop); the next search adopts it then.
   */
  private async wait(
    tx: EntityManager,
    submission: DoubtfulSubmission,
    { findings: { contested, missing }, now }: { findings: SearchFindings; now: Date },
  ): Promise<void> {
    const nextLookAt = isTooLateToResend(submission.sentAt, now) ? null : this.secondLookAt(now);
    this.logger.error(
      `Another attempt was given the uuid of ${contested.map(({ referenceId }) => referenceId).join(', ')} (submission ` +
        `${submission.submissionId}), which the authority has`,
    );
    if (missing.length > 0) await splitOff(tx, submission, { members: contested, why: 'contested', now, nextLookAt });
    await setNextLook(tx, submission, nextLookAt);
  }

  private async decideMissing(tx: EntityManager, submission: DoubtfulSubmission, now: Date): Promise<boolean> {
    if (isTooLateToResend(submission.sentAt, now)) {
      this.logger.error(
        `Submission ${submission.submissionId} is in doubt for too long to be sent again; a person decides`,
      );
      await setMissing(tx, submission, { now, nextLookAt: null });
      return false;
    }
    const secondLookMs = this.configuration.times.reconcileSecondLookSeconds * 1_000;
    const { missingSince } = submission;
    if (missingSince !== null && now.getTime() - missingSince.getTime() >= secondLookMs) return true;
    await setMissing(tx, submission, { now, nextLookAt: this.secondLookAt(missingSince ?? now) });
    return false;
  }

  private secondLookAt(missingSince: Date): Date {
    return new Date(missingSince.getTime() + this.configuration.times.reconcileSecondLookSeconds * 1_000);
  }
}
