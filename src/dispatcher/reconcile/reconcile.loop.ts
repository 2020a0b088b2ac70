import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isFollowable, isIdentified, type PartialSummary } from '../../authority/wire.js';
import { withFailpoints } from '../../failpoints/failpoints.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import type { Environment } from '../../config/environment.js';
import { readClockDriftSince } from '../../authority/authority-clock.js';
import { readServiceNow } from '../../database/clock.js';
import { withReruns } from '../../database/reruns.js';
import { readSubmittedAt } from '../authority-times.js';
import { CallWindows } from '../call-windows.js';
import { compareIdentity, explainUnclear } from '../document-identity.js';
import { readOwnedUuids, releaseWrongUuids } from '../identity.sql.js';
import { type Loop, RepeatedLoop } from '../../loops/loop.js';
import {
  computeLookupSeconds,
  findMembers,
  hasPassed,
  isAbsenceProven,
  isTooLateToLookUp,
  isTooLateToResend,
  type Present,
  type SearchFindings,
} from './reconcile-plan.js';
import {
  claimUnknown,
  type UnknownQueue,
  type UnknownMember,
  type UnknownSubmission,
  expireLeases,
  findUnknownQueue,
  lockUnknown,
  extendUnknownLeases,
  postpone,
  setAccepted,
  setMissing,
  setUndecided,
  splitOff,
  takeOverCalls,
} from './reconcile.sql.js';
import { endSubmission } from './release.sql.js';
import { ResendService } from './resend.service.js';
import { isRefusedAsDuplicate, SubmittedDocuments } from './submitted-documents.js';
import { changeStatuses } from '../status-changes.js';

const POSTPONE_SECONDS = 30;
/** How many documents the reason of a call lists. */
const CONTESTED_NAMED_MAX = 3;

// Reasons that "queue show" lists.
const MISSING = 'missing from a call that was found';
const INCONCLUSIVE =
  "the database's clock and the authority's differed by more than a day, so a search that misses it proves nothing";
const DISPUTED = 'the authority has a document that may be this one, and may be another';
const DUPLICATE = 'the authority rejected it as a duplicate and does not show the document that it duplicates';

type Findings = SearchFindings<UnknownMember>;
interface LookupResult {
  readonly findings: Findings;
  readonly isConclusive: boolean;
  readonly now: Date;
}

type Part = Omit<Parameters<typeof splitOff>[2], 'now' | 'failure'> & { readonly failure: string };

/** What a search showed, in whose name, and how its calls are kept while they are decided one after the other. */
interface Search {
  readonly tenantQueue: UnknownQueue;
  readonly shown: readonly PartialSummary[];
  /** Whether a document that the search misses has not arrived. */
  readonly isConclusive: boolean;
  readonly signal: AbortSignal;
  readonly extendLeases: (kept: readonly UnknownSubmission[], waitSeconds: number) => Promise<void>;
}

/** Finds out what became of calls without a response: found ones are adopted, those missing twice are sent again. */
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

  /** Looks one tenant's unknown calls up in each environment; returns how many calls were looked up. */
  async tick(signal: AbortSignal): Promise<number> {
    const { reconcileGraceSeconds } = this.configuration.times;
    await withFailpoints('reconcile.expire', () => expireLeases(this.dataSource.manager, reconcileGraceSeconds));
    let searched = 0;
    for (const environment of this.windows.environments) {
      await withFailpoints('reconcile.take_over', () =>
        takeOverCalls(this.dataSource.manager, environment, this.windows.getClientId(environment)),
      );
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
    const goOn = (slotWaitSeconds: number): Promise<void> => extendLeases(submissions, slotWaitSeconds);
    const found = await this.submitted.searchAround({ taxpayer: tenantQueue, slot, signal, goOn }, submissions);
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
        submission.members,
      );
      const shown = [...search.shown, ...originals];
      const disputed = await this.submitted.findDisputedUuids(
        { taxpayer: tenantQueue, environment: tenantQueue.environment, signal },
        { members: submission.members, shown: shown.filter(isFollowable) },
      );
      // What could not be compared now is looked for again: the claim keeps it until then.
      if (disputed === null) continue;
      if (!(await this.decide(submission, { shown, disputed, isConclusive }))) continue;
      await this.resend.send({ submission, taxpayer: tenantQueue, signal });
      // A send may take as long as its deadline; the others keep what the search has shown of them.
      await extendLeases(submissions.slice(index + 1), 0);
    }
  }

  /** Writes what the search showed; true when the call is to be sent again. */
  private decide(
    submission: UnknownSubmission,
    {
      shown,
      disputed,
      isConclusive,
    }: { shown: readonly PartialSummary[]; disputed: ReadonlySet<string>; isConclusive: boolean },
  ): Promise<boolean> {
    const identified = shown.filter(isIdentified);
    const uuids = identified.map(({ authorityUuid }) => authorityUuid);
    const write = async (tx: EntityManager): Promise<boolean> => {
      await releaseWrongUuids(tx, submission.environment, identified);
      if (!(await lockUnknown(tx, submission))) return false;
      const now = await readServiceNow(tx);
      const owned = await readOwnedUuids(tx, submission.environment, uuids);
      const findings = findMembers(submission.members, shown, { owned, disputed });
      const result = { findings, isConclusive, now };
      if (findings.found.length > 0) await this.adopt(tx, submission, result);
      else if (!isConclusive || findings.contested.length + findings.disputed.length > 0)
        await this.wait(tx, submission, result);
      else return this.decideMissing(tx, submission, now);
      return false;
    };
    return withFailpoints('reconcile.decide', () => withReruns(() => this.dataSource.transaction(write)));
  }

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
          uuidConfirmed: true,
          submittedAt: readSubmittedAt(summary, { issuedAt: member.issuedAt, now }),
        },
      })),
    );
    for (const part of this.splitIntoParts(submission, result)) await splitOff(tx, submission, { ...part, now });
    await setAccepted(tx, submission, { submissionUid: found[0].summary.submissionUid, now });
  }

  /**
   * Nothing of the call can be adopted, and some of it did arrive: that is never sent again. The attempt that holds its
   * uuid loses it when its own look finds out whose it is (PollLoop); the next search adopts it then.
   */
  private async wait(tx: EntityManager, submission: UnknownSubmission, result: LookupResult): Promise<void> {
    const { now } = result;
    const [first, ...others] = this.splitIntoParts(submission, result);
    for (const part of others) await splitOff(tx, submission, { ...part, now });
    if (first.missingSince === 'now') await setMissing(tx, submission, { ...first, now });
    else await setUndecided(tx, submission, first);
  }

  /** Groups the documents that were not found by what happens next; each group goes on as a separate call. */
  private splitIntoParts(submission: UnknownSubmission, { findings, isConclusive, now }: LookupResult): Part[] {
    const { missing, contested, disputed } = findings;
    for (const { member, summary } of contested) {
      this.logger.error(
        `${describeContested(member, summary)} (submission ${submission.submissionId}): not sent again`,
      );
    }
    const numbers = disputed.map(({ referenceId }) => referenceId).join(', ');
    if (disputed.length > 0) {
      this.logger.error(
        `The authority has ${numbers} (submission ${submission.submissionId}) or another attempt's document; a person decides`,
      );
    }
    const isTooLate = isTooLateToLookUp(submission, now);
    const nextLookupAt = this.computeNextLookupAt(submission, now);
    const explanations = contested.map(({ member, summary }) => describeContested(member, summary));
    const parts: Part[] = [
      isConclusive
        ? { missingSince: 'now', failure: MISSING, members: missing, nextLookupAt }
        : {
            missingSince: 'never',
            failure: INCONCLUSIVE,
            members: missing,
            nextLookupAt: isTooLate ? null : nextLookupAt,
          },
      {
        missingSince: 'never',
        failure: explanations.slice(0, CONTESTED_NAMED_MAX).join('; '),
        members: contested.map(({ member }) => member),
        nextLookupAt: isTooLate ? null : nextLookupAt,
      },
      { missingSince: 'never', failure: DISPUTED, members: disputed, nextLookupAt: null },
    ];
    return parts.filter(({ members }) => members.length > 0);
  }

  private async decideMissing(tx: EntityManager, submission: UnknownSubmission, now: Date): Promise<boolean> {
    const { submissionId, environment, sentAt, missingSince } = submission;
    if (submission.members.some(({ refusal }) => refusal !== null)) {
      await this.decideRefused(tx, submission, now);
      return false;
    }
    if (isTooLateToLookUp(submission, now)) {
      this.logger.error(`Submission ${submissionId} is in doubt for too long to be sent again; a person decides`);
      await setMissing(tx, submission, { now, nextLookupAt: null });
      return false;
    }
    const { driftSeconds } = await readClockDriftSince(tx, environment, sentAt);
    const present = { now, driftSeconds };
    const secondLookMinutes = this.configuration.times.reconcileSecondLookSeconds / 60;
    const isMissingTwice = missingSince !== null && hasPassed(missingSince, secondLookMinutes, present);
    if (isMissingTwice && mayResend(submission, present)) return true;
    await setMissing(tx, submission, { now, nextLookupAt: this.computeNextLookupAt(submission, now) });
    return false;
  }

  /**
   * Decides documents that the authority rejected although an earlier send may have arrived. The rejection counts once
   * lookups have missed every earlier send. A rejected duplicate exists at the authority, so an operator decides.
   */
  private async decideRefused(tx: EntityManager, submission: UnknownSubmission, now: Date): Promise<void> {
    const { tenantId, members } = submission;
    if (!isAbsenceProven(submission)) {
      await setMissing(tx, submission, { now, nextLookupAt: this.computeNextLookupAt(submission, now) });
      return;
    }
    const ended = members.filter(({ refusal }) => refusal !== null && !isRefusedAsDuplicate(refusal));
    await changeStatuses(
      tx,
      { tenantId, now },
      ended.map(({ transactionId, refusal }) => ({
        transactionId,
        to: 'submitFailed',
        cause: 'submit_rejected',
        facts: { errors: refusal ?? [] },
      })),
    );
    if (ended.length === members.length) {
      await endSubmission(tx, submission, { failure: 'refused, and not found', now });
      return;
    }
    this.logger.error(`Submission ${submission.submissionId}: ${DUPLICATE}; a person decides`);
    await setUndecided(tx, submission, { nextLookupAt: null, failure: DUPLICATE });
  }

  private computeNextLookupAt(submission: UnknownSubmission, now: Date): Date {
    const seconds = this.configuration.times.reconcileSecondLookSeconds;
    return new Date(now.getTime() + computeLookupSeconds(submission, { seconds, now }) * 1_000);
  }
}

/** Returns false for documents that the authority accepted: they are never sent again. */
function mayResend({ sentAt, resendAfter, members }: UnknownSubmission, present: Present): boolean {
  if (members.some(({ isAccepted }) => isAccepted) || isTooLateToResend(sentAt, present)) return false;
  return resendAfter === null || hasPassed(resendAfter, 0, present);
}

function describeContested(member: UnknownMember, summary: PartialSummary): string {
  const uuid = summary.authorityUuid ?? 'an unreadable uuid';
  return `the authority shows ${member.referenceId} under ${uuid}, but ${explainContested(member, summary)}`;
}

function explainContested(member: UnknownMember, summary: PartialSummary): string {
  if (compareIdentity(member, summary) === 'unclear') return explainUnclear(member, summary);
  return isFollowable(summary) ? 'another attempt has this uuid' : 'its uuid or its submission cannot be read';
}
