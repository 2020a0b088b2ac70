import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type FollowableSummary, isFollowable, isIdentified, type PartialSummary } from '../../authority/wire.js';
import { withFailpoints } from '../../common/failpoints/failpoints.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import type { Environment } from '../../config/environment.js';
import { readClockDriftSince } from '../../authority/authority-clock.js';
import { readServiceNow } from '../../database/clock.js';
import { findInvalidatedAt, readSubmittedAt } from '../queue/authority-times.js';
import { CallWindows } from '../queue/call-windows.js';
import { readUuidOwners } from '../queue/identity.sql.js';
import { type Loop, RepeatedLoop } from '../../common/loops/loop.js';
import {
  computeLookupSeconds,
  hasPassed,
  isAbsenceProven,
  isTooLateToLookUp,
  mayResend,
} from '../queue/lookup-times.js';
import {
  claimUnknown,
  expireLeases,
  extendUnknownLeases,
  findUnknownQueue,
  lockUnknown,
  postpone,
  recordShown,
  setFound,
  setMissing,
  setUndecided,
  type UnknownMember,
  type UnknownQueue,
  type UnknownSubmission,
} from './reconcile.sql.js';
import { describeUndecided, DISPUTED, DUPLICATE, explainContested, INCONCLUSIVE, MISSING } from './lookup-reasons.js';
import { ResendService } from './resend.service.js';
import { isRefusedAsDuplicate, isRefusedForOther, SubmittedDocuments } from './submitted-documents.js';
import { changeStatuses } from '../queue/status-changes.js';
import { isWithoutReason } from '../queue/without-reason.js';
import { isPossibleCopy, matchMembers, type SearchFindings } from './match-documents.js';
import { endSubmission, setAccepted, splitOff } from '../queue/authority-submissions.sql.js';

const POSTPONE_SECONDS = 30;

const REJECTED = { to: 'submitFailed', cause: 'submit_rejected' } as const;
const FOUND_INVALID = { to: 'invalid', cause: 'poll' } as const;

type Findings = SearchFindings<UnknownMember>;
type Part = Omit<Parameters<typeof splitOff>[2], 'now'>;

interface LookupResult {
  readonly findings: Findings;
  /** Whether a document that the lookup missed has certainly not arrived. */
  readonly isConclusive: boolean;
  readonly now: Date;
}

interface ShownDocuments {
  readonly shown: readonly PartialSummary[];
  readonly originals: readonly FollowableSummary[];
  readonly disputed: ReadonlySet<string> | null;
  readonly isConclusive: boolean;
}

interface Search {
  readonly tenantQueue: UnknownQueue;
  readonly shown: readonly PartialSummary[];
  readonly isConclusive: boolean;
  readonly signal: AbortSignal;
  readonly extendLeases: (kept: readonly UnknownSubmission[], waitSeconds: number) => Promise<void>;
}

/** Adopts the documents of calls without a response, and resends documents that two lookups have missed. */
@Injectable()
@RepeatedLoop({ name: 'reconcile', intervalMs: 2_000, concurrency: 1 })
export class ReconcileLoop implements Loop {
  private readonly logger = new Logger(ReconcileLoop.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly submitted: SubmittedDocuments,
    private readonly resend: ResendService,
    private readonly windows: CallWindows,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  async tick(signal: AbortSignal): Promise<number> {
    const { reconcileGraceSeconds } = this.configuration.times;
    await withFailpoints('reconcile.expire', () => expireLeases(this.dataSource.manager, reconcileGraceSeconds));
    let searched = 0;
    for (const environment of this.windows.environments) {
      searched += await this.searchUnknown(environment, signal);
    }
    return searched;
  }

  private async searchUnknown(environment: Environment, signal: AbortSignal): Promise<number> {
    const clientId = this.windows.getClientId(environment);
    const tenantQueue = await findUnknownQueue(this.dataSource.manager, environment, clientId);
    if (tenantQueue === null) return 0;
    const slot = await this.submitted.reserve(environment);
    if (slot === null) return 0;
    const { dispatchLeaseSeconds } = this.configuration.times;
    const submissions = await withFailpoints('reconcile.claim', () =>
      this.dataSource.transaction((tx) => claimUnknown(tx, tenantQueue, dispatchLeaseSeconds)),
    );
    if (submissions.length === 0) return 0;
    const extendLeases = (kept: readonly UnknownSubmission[], waitSeconds: number): Promise<void> =>
      withFailpoints('reconcile.keep', () =>
        extendUnknownLeases(this.dataSource.manager, tenantQueue, {
          submissions: kept,
          seconds: waitSeconds + dispatchLeaseSeconds,
        }),
      );
    const beforePage = (slotWaitSeconds: number): Promise<void> => extendLeases(submissions, slotWaitSeconds);
    const found = await this.submitted.searchAround({ taxpayer: tenantQueue, slot, signal, beforePage }, submissions);
    if (found === null) {
      const now = await readServiceNow(this.dataSource.manager);
      await withFailpoints('reconcile.put_off', () =>
        postpone(
          this.dataSource.manager,
          tenantQueue,
          submissions.map((submission) => ({
            ...submission,
            seconds: computeLookupSeconds(submission, { seconds: POSTPONE_SECONDS, now }),
          })),
        ),
      );
      return 0;
    }
    const { rows: shown, isConclusive } = found;
    await this.decideAll({ tenantQueue, shown, isConclusive, signal, extendLeases }, submissions);
    return submissions.length;
  }

  private async decideAll(search: Search, submissions: readonly UnknownSubmission[]): Promise<void> {
    const { tenantQueue, isConclusive, signal, extendLeases } = search;
    for (const [index, submission] of submissions.entries()) {
      const originals = await this.submitted.readOriginals(
        { taxpayer: tenantQueue, environment: tenantQueue.environment, signal },
        submission,
      );
      const shown = [...search.shown, ...originals];
      const disputed = await this.submitted.findDisputedUuids(
        { taxpayer: tenantQueue, environment: tenantQueue.environment, signal },
        { members: submission.members, shown: shown.filter(isFollowable) },
      );
      if (!(await this.decide(submission, { shown, originals, disputed, isConclusive }))) continue;
      await this.resend.send({ submission, taxpayer: tenantQueue, signal });
      // A resend may last until its deadline. Without renewed leases, the results for the other calls would be lost.
      await extendLeases(submissions.slice(index + 1), 0);
    }
  }

  /** Stores the results for one call. Returns true if the call must be resent. */
  private decide(submission: UnknownSubmission, documents: ShownDocuments): Promise<boolean> {
    const { shown, originals, disputed, isConclusive } = documents;
    const uuids = shown.filter(isIdentified).map(({ authorityUuid }) => authorityUuid);
    const write = async (tx: EntityManager): Promise<boolean> => {
      if (!(await lockUnknown(tx, submission))) return false;
      const now = await readServiceNow(tx);
      const owners = await readUuidOwners(tx, submission.environment, uuids);
      const members = submission.members.filter((member) =>
        shown.some((summary) => isPossibleCopy(member, summary, owners)),
      );
      await recordShown(tx, submission, { members, now });
      if (disputed === null) {
        await setUndecided(tx, submission, { nextLookupAt: this.computeNextLookupAt(submission, now), failure: null });
        return false;
      }
      const findings = matchMembers(submission.members, shown, { owners, disputed });
      const result = { findings, isConclusive, now };
      if (findings.found.length > 0) await this.adopt(tx, submission, result);
      else if (!isConclusive || findings.missing.length < submission.members.length)
        await this.wait(tx, submission, result);
      else return this.decideMissing(tx, submission, { originals, now });
      return false;
    };
    return withFailpoints('reconcile.decide', () => this.dataSource.transaction(write));
  }

  /** Adopts the found documents. Polls then confirm or correct their uuids. */
  private async adopt(tx: EntityManager, submission: UnknownSubmission, result: LookupResult): Promise<void> {
    const { findings, now } = result;
    const { found } = findings;
    await changeStatuses(
      tx,
      { tenantId: submission.tenantId, now },
      found.map(({ member, summary }) => ({
        transactionId: member.transactionId,
        to: 'submitted',
        cause: 'adopted',
        facts: {
          authorityUuid: summary.authorityUuid,
          uuidConfirmed: false,
          submittedAt: readSubmittedAt(summary, { issuedAt: member.issuedAt, now }),
        },
      })),
    );
    for (const part of this.splitIntoParts(submission, result)) await splitOff(tx, submission, { ...part, now });
    const { tenantId, isToDecide } = submission;
    const unchanged = {
      missingSince: 'never',
      failure: null,
      now,
      nextLookupAt: now,
      isDecidable: isToDecide,
    } as const;
    for (const submissionUid of new Set(found.map(({ summary }) => summary.submissionUid))) {
      const isFirst = submissionUid === found[0].summary.submissionUid;
      const members = found
        .filter(({ summary }) => summary.submissionUid === submissionUid)
        .map(({ member }) => member);
      const submissionId = isFirst
        ? submission.submissionId
        : await splitOff(tx, submission, { ...unchanged, members });
      await (isToDecide ? setFound : setAccepted)(tx, { tenantId, submissionId }, { submissionUid, now });
    }
  }

  /**
   * Never resends documents that may have arrived. If another attempt has the uuid by mistake, its poll removes
   * the uuid.
   */
  private async wait(tx: EntityManager, submission: UnknownSubmission, result: LookupResult): Promise<void> {
    const { now } = result;
    const [first, ...others] = this.splitIntoParts(submission, result);
    for (const part of others) await splitOff(tx, submission, { ...part, now });
    if (first.missingSince === 'now') await setMissing(tx, submission, { ...first, now });
    else await setUndecided(tx, submission, first);
  }

  /** Groups the missing documents by their next step. Each group becomes a separate call. */
  private splitIntoParts(submission: UnknownSubmission, { findings, isConclusive, now }: LookupResult): Part[] {
    const { missing, contested, hidden, disputed } = findings;
    for (const text of describeUndecided(findings, submission.submissionId)) this.logger.error(text);
    const nextLookupAt = this.computeNextLookupAt(submission, now);
    const untilTooLate = isTooLateToLookUp(submission, now) ? null : nextLookupAt;
    const parts: Part[] = [
      isConclusive
        ? { missingSince: 'now', failure: MISSING, members: missing, nextLookupAt }
        : { missingSince: 'never', failure: INCONCLUSIVE, members: missing, nextLookupAt: untilTooLate },
      {
        missingSince: 'never',
        failure: explainContested(findings),
        members: contested.map(({ member }) => member),
        nextLookupAt: untilTooLate,
      },
      { missingSince: 'never', failure: null, members: hidden, nextLookupAt: untilTooLate },
      { missingSince: 'never', failure: DISPUTED, members: disputed, nextLookupAt: null },
    ];
    const { isToDecide: isDecidable } = submission;
    return parts.filter(({ members }) => members.length > 0).map((part) => ({ ...part, isDecidable }));
  }

  private async decideMissing(
    tx: EntityManager,
    submission: UnknownSubmission,
    { originals, now }: Pick<ShownDocuments, 'originals'> & { now: Date },
  ): Promise<boolean> {
    const { submissionId, environment, sentAt, missingSince } = submission;
    if (submission.members.some(({ refusal }) => refusal !== null)) {
      await this.decideRefused(tx, submission, { originals, now });
      return false;
    }
    if (isTooLateToLookUp(submission, now)) {
      this.logger.error(
        `Submission ${submissionId} has been in doubt for too long to be sent again. An operator must decide`,
      );
      await setMissing(tx, submission, { now, nextLookupAt: null });
      return false;
    }
    const { driftSeconds } = await readClockDriftSince(tx, environment, sentAt);
    const present = { now, driftSeconds };
    const secondLookupMinutes = this.configuration.times.reconcileSecondLookupSeconds / 60;
    const isMissingTwice = missingSince !== null && hasPassed(missingSince, secondLookupMinutes, present);
    if (isMissingTwice && mayResend(submission, present)) return true;
    await setMissing(tx, submission, { now, nextLookupAt: this.computeNextLookupAt(submission, now) });
    return false;
  }

  /**
   * Decides documents with a rejected copy. The rejection counts once enough lookups have found no other copy. An
   * operator decides duplicates and rejections without a reason, which may be duplicates.
   */
  private async decideRefused(
    tx: EntityManager,
    submission: UnknownSubmission,
    { originals, now }: Pick<ShownDocuments, 'originals'> & { now: Date },
  ): Promise<void> {
    const { tenantId, members, sentAt } = submission;
    const isArrived = (member: UnknownMember): boolean =>
      (isRefusedAsDuplicate(member.refusal) && !isRefusedForOther(member, originals)) ||
      isWithoutReason(member.refusal ?? []);
    if (!isAbsenceProven(submission)) {
      const nextLookupAt = this.computeNextLookupAt(submission, now);
      if (members.some(isArrived)) await setUndecided(tx, submission, { nextLookupAt, failure: null });
      else await setMissing(tx, submission, { now, nextLookupAt });
      return;
    }
    const ended = members.filter((member) => member.refusal !== null && !isArrived(member));
    const bounds = { after: sentAt, now };
    await changeStatuses(
      tx,
      { tenantId, now },
      ended.map((member) => ({
        transactionId: member.transactionId,
        ...(member.isAccepted ? FOUND_INVALID : REJECTED),
        facts: { errors: member.refusal ?? [], validatedAt: findInvalidatedAt(member, originals, bounds) },
      })),
    );
    if (ended.length === members.length) {
      await endSubmission(tx, submission, { failure: 'refused, and not found', now });
      return;
    }
    this.logger.error(`Submission ${submission.submissionId}: ${DUPLICATE}. An operator must decide`);
    await setUndecided(tx, submission, { nextLookupAt: null, failure: DUPLICATE });
  }

  private computeNextLookupAt(submission: UnknownSubmission, now: Date): Date {
    const seconds = this.configuration.times.reconcileSecondLookupSeconds;
    return new Date(now.getTime() + computeLookupSeconds(submission, { seconds, now }) * 1_000);
  }
}
