import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { measureOutcome } from '../../common/metrics.js';
import { AuthorityCalls } from '../../authority/authority-calls.js';
import type { DocumentSummary } from '../../authority/wire.js';
import { withFailpoints } from '../../failpoints/failpoints.js';
import type { Environment } from '../../config/environment.js';
import { readServiceNow } from '../../database/clock.js';
import { withReruns } from '../../database/reruns.js';
import { getAttemptState } from '../../documents/statuses.js';
import { CallWindows } from '../call-windows.js';
import { isUnderItsNumber } from '../document-identity.js';
import { decideHeldNotes } from '../held-notes/held-notes.js';
import { readOwnedUuids } from '../identity.sql.js';
import { computeNextWatchAt, computeSecondsToNextPoll } from './poll-intervals.js';
import { type Loop, RepeatedLoop } from '../../loops/loop.js';
import { OutcomeReader, type PolledOutcome } from '../outcome-reader.js';
import {
  claimPoll,
  type FollowedDocument,
  type FollowedSubmission,
  hasDuePoll,
  lockFollowed,
  readFollowed,
  setNextPoll,
} from './poll.sql.js';
import { splitOff } from '../reconcile/reconcile.sql.js';
import { changeStatuses, type StatusChange } from '../status-changes.js';

const SLOT_WITHIN_MS = 1_000;
// A uid that the authority does not know after this many looks (about two minutes) is worth a line in the log.
const POLLS_BEFORE_ALARM = 7;
const LOGIN_REFUSED_SECONDS = 30;

/** A submission, and what the authority shows of it. */
interface Poll {
  readonly submission: FollowedSubmission;
  readonly environment: Environment;
  readonly seen: readonly DocumentSummary[];
  readonly correlationId: string | null;
  /** Nothing was asked, since our own login is refused: not a look after which the next one may take its time. */
  readonly isLoginRefused: boolean;
  readonly signal: AbortSignal;
}

/** What a poll results in. */
interface PollResult {
  readonly changes: readonly StatusChange[];
  readonly disputed: readonly FollowedDocument[];
  /** Some document is invalid, and the authority did not say why. */
  readonly isUnexplained: boolean;
}

/**
 * Follows accepted submissions to their documents' outcomes: one call for each submission, never one for a document.
 */
@Injectable()
@RepeatedLoop({ name: 'poll', intervalMs: 500, concurrency: 4 })
export class PollLoop implements Loop {
  private readonly logger = new Logger(PollLoop.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly authority: AuthorityCalls,
    private readonly outcomes: OutcomeReader,
    private readonly windows: CallWindows,
  ) {}

  /** Looks at one due submission of each environment; returns how many. */
  async tick(signal: AbortSignal): Promise<number> {
    const polls = this.windows.environments.map((environment) => this.pollOne(environment, signal));
    return (await Promise.all(polls)).filter(Boolean).length;
  }

  private async pollOne(environment: Environment, signal: AbortSignal): Promise<boolean> {
    const clientId = this.windows.getClientId(environment);
    if (!(await hasDuePoll(this.dataSource.manager, environment, clientId))) return false;
    const window = await this.windows.open(environment, 'getSubmission', SLOT_WITHIN_MS);
    if (window === null) return false;
    const { slot, leaseSeconds } = window;
    const submission = await withFailpoints('poll.claim', () =>
      claimPoll(this.dataSource.manager, { environment, clientId, leaseSeconds }),
    );
    if (submission === null) return false;
    const outcome = await this.authority.getSubmission(
      { taxpayer: submission.taxpayer, slot, signal },
      submission.submissionUid,
    );
    if (outcome.kind === 'not-yet' && submission.polls >= POLLS_BEFORE_ALARM) {
      this.logger.warn(`The authority does not know submission ${submission.submissionUid} that it accepted`);
    }
    const seen = outcome.kind === 'found' ? outcome.documents : [];
    const isLoginRefused = outcome.kind === 'client-refused';
    await this.settle({ submission, environment, seen, correlationId: outcome.correlationId, isLoginRefused, signal });
    return true;
  }

  private async settle(poll: Poll): Promise<void> {
    const { submission, seen } = poll;
    const members = await readFollowed(this.dataSource.manager, submission);
    const byUuid = new Map(seen.map((summary) => [summary.authorityUuid, summary]));
    const changes: StatusChange[] = [];
    const disputed: FollowedDocument[] = [];
    let isUnexplained = false;
    for (const member of members) {
      const summary = byUuid.get(member.authorityUuid) ?? (await this.readElsewhere(poll, member, byUuid.size > 0));
      if (summary === null) continue;
      const outcome = isUnderItsNumber(member, summary)
        ? await this.outcomes.readOutcome({ ...poll, member, summary })
        : await this.findCorrection(member, poll);
      if (outcome.kind === 'change') changes.push(outcome.change);
      if (outcome.kind === 'unexplained') isUnexplained = true;
      if (outcome.kind === 'doubt') disputed.push(member);
      if (outcome.kind === 'doubt') this.logger.error(`A person decides ${member.transactionId}: ${outcome.reason}`);
    }
    const { now, moved } = await withFailpoints('poll.settle', () =>
      withReruns(() => this.dataSource.transaction((tx) => this.write(tx, poll, { changes, disputed, isUnexplained }))),
    );
    measureOutcomes(
      poll.environment,
      members.filter(({ transactionId }) => moved.has(transactionId)),
      { changes, now },
    );
  }

  private async write(
    tx: EntityManager,
    { submission, environment, isLoginRefused }: Poll,
    { changes, disputed, isUnexplained }: PollResult,
  ): Promise<{ now: Date; moved: ReadonlySet<string> }> {
    const now = await readServiceNow(tx);
    const { tenantId } = submission;
    // A uuid that another attempt was given meanwhile stays its own; this attempt's next poll finds that out.
    const uuids = changes.map(({ facts }) => facts?.authorityUuid).filter((uuid) => uuid !== undefined);
    const owned = await readOwnedUuids(tx, environment, uuids);
    const possible = changes.filter(({ facts }) => !owned.has(facts?.authorityUuid ?? ''));
    const moved = await changeStatuses(tx, { tenantId, now }, possible);
    // Another poll or a person may have decided it since it was read.
    for (const transactionId of await lockFollowed(tx, submission, disputed)) {
      await splitOff(tx, submission, { members: [{ transactionId }], why: 'disputed', now, nextLookupAt: null });
    }
    if (possible.length > 0) await decideHeldNotes(tx, { tenantId, now });
    const planned = computeNextPollAt(await readFollowed(tx, submission), submission.polls, now);
    const soon = new Date(now.getTime() + LOGIN_REFUSED_SECONDS * 1_000);
    const nextAt = isLoginRefused && planned !== null && planned > soon ? soon : planned;
    const unexplainedPolls = submission.unexplainedPolls + (isUnexplained ? 1 : 0);
    await setNextPoll(tx, submission, { at: nextAt, now, unexplainedPolls });
    return { now, moved };
  }

  /**
   * The authority shows another document under the uuid: its response named the wrong one, and another's outcome is not
   * ours. What the submission has under the document's number is ours, unless another attempt holds that.
   */
  private async findCorrection(
    member: FollowedDocument,
    { environment, seen, correlationId }: Poll,
  ): Promise<PolledOutcome> {
    const { transactionId, authorityUuid } = member;
    const own = seen.find((summary) => isUnderItsNumber(member, summary));
    const uuids = own === undefined ? [] : [own.authorityUuid];
    const owned = await readOwnedUuids(this.dataSource.manager, environment, uuids);
    const isFree = own !== undefined && owned.size === 0;
    this.logger.error(
      `The authority shows another document under ${authorityUuid}, the uuid of ${transactionId}` +
        (isFree ? `, which it has under ${own.authorityUuid}` : ''),
    );
    if (!isFree) return { kind: 'wait' };
    const facts = { authorityUuid: own.authorityUuid };
    return {
      kind: 'change',
      change: { transactionId, to: 'submitted', cause: 'uuid_corrected', correlationId, facts },
    };
  }

  /** An adopted uuid may belong to another submission of the authority's: then it is asked for by itself. */
  private readElsewhere(poll: Poll, member: FollowedDocument, isAnswered: boolean): Promise<DocumentSummary | null> {
    if (!isAnswered) return Promise.resolve(null);
    return this.outcomes.readSummary({ ...poll, authorityUuid: member.authorityUuid });
  }
}

/** Of the documents that had no outcome before. */
function measureOutcomes(
  environment: Environment,
  moved: readonly FollowedDocument[],
  { changes, now }: { changes: readonly StatusChange[]; now: Date },
): void {
  const byId = new Map(changes.map((change) => [change.transactionId, change]));
  for (const { transactionId, authorityStatus, acceptedAt } of moved) {
    const change = byId.get(transactionId);
    if (authorityStatus !== 'Submitted' || change === undefined || change.to === 'submitted') continue;
    const validatedAt = change.facts?.validatedAt ?? null;
    measureOutcome(environment, {
      sinceAccept: (now.getTime() - acceptedAt.getTime()) / 1_000,
      sinceAuthority: validatedAt === null ? null : (now.getTime() - validatedAt.getTime()) / 1_000,
    });
  }
}

function computeNextPollAt(members: readonly FollowedDocument[], polls: number, now: Date): Date | null {
  const states = members.map(({ authorityStatus }) =>
    getAttemptState({ submissionStatus: 'Submitted', authorityStatus }),
  );
  if (states.includes('submitted')) return new Date(now.getTime() + computeSecondsToNextPoll(polls + 1) * 1_000);
  // A valid document may still be cancelled, and a reason or a value that was missing may still come.
  const watched = members.filter(
    ({ authorityStatus, isUnexplained, isIncomplete }) => authorityStatus === 'Valid' || isUnexplained || isIncomplete,
  );
  const latest = Math.max(
    ...watched.map(({ validatedAt, submittedAt, acceptedAt }) => (validatedAt ?? submittedAt ?? acceptedAt).getTime()),
  );
  return computeNextWatchAt(watched.length === 0 ? null : new Date(latest), now);
}
