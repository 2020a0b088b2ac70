import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { measureOutcome } from '../../common/metrics.js';
import { AuthorityCalls } from '../../authority/authority-calls.js';
import type { DocumentSummary } from '../../authority/wire.js';
import { withFailpoints } from '../../common/failpoints/failpoints.js';
import type { Environment } from '../../config/environment.js';
import { readServiceNow } from '../../database/clock.js';
import { CallWindows } from '../queue/call-windows.js';
import { compareIdentity, confirmsClaim, contradictsConfirmed, findOriginal } from '../queue/document-identity.js';
import { decideHeldNotes } from '../queue/held-notes.js';
import { readUuidOwners, releaseWrongUuids } from '../queue/identity.sql.js';
import { type AdoptedOriginal, buildAdoption, followOriginals } from './adopted-originals.js';
import { keepInDoubt, leaveToOperator, lookUpOverdue, type OverdueDocument } from './overdue-documents.js';
import { computeNextPollAt } from '../queue/poll-intervals.js';
import { type Loop, RepeatedLoop } from '../../common/loops/loop.js';
import { isUnreadable, OutcomeReader } from '../queue/outcome-reader.js';
import { claimPoll, hasDuePoll, lockFollowed, readFollowed, setNextPoll } from './poll.sql.js';
import { changeStatuses, type StatusChange } from '../queue/status-changes.js';
import type { FollowedDocument, FollowedSubmission } from '../queue/followed-submission.js';
import { type RefusedMember, splitOffRefused } from '../queue/authority-submissions.sql.js';

const SLOT_WITHIN_MS = 1_000;
/** Number of polls, within minutes of the submit, after which a missing submission is logged. */
const POLLS_BEFORE_ALARM = 7;
const LOGIN_REFUSED_SECONDS = 30;
/** Prevents a short outage from overloading the search, which has the lowest rate limit. */
const MISSED_SECONDS = 600;
/** Outcomes that describe the submission itself. */
const ABOUT_SUBMISSION: ReadonlySet<string> = new Set(['found', 'not-yet', 'refused', 'forbidden']);

const UNREADABLE = 'the authority does not show it in its submission, and its details are unreadable';

interface Poll {
  readonly submission: FollowedSubmission;
  readonly environment: Environment;
  readonly fetched: readonly DocumentSummary[];
  readonly isAnswered: boolean;
  readonly correlationId: string | null;
  readonly authorityNow: Date | null;
  /** No call was made because the authority refuses our own login. The next poll is not postponed. */
  readonly isLoginRefused: boolean;
  readonly signal: AbortSignal;
}

interface PollResult {
  readonly changes: StatusChange[];
  /** Invalid documents that may have another copy at the authority. */
  readonly doubtful: (FollowedDocument & RefusedMember)[];
  readonly originals: AdoptedOriginal[];
  readonly absent: FollowedDocument[];
  readonly unreadable: OverdueDocument[];
  /** Valid documents that the authority no longer shows under their uuids. */
  readonly contradicted: FollowedDocument[];
  /** Documents that the authority shows under a different uuid than in its response to the submit. */
  readonly corrected: DocumentSummary[];
  isWithoutReason: boolean;
}

type FoundSummary = DocumentSummary | 'absent' | 'unreadable' | 'contradicted' | null;

/** Polls accepted submissions until their documents have outcomes. One call covers a whole submission. */
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
      this.logger.warn(`The authority does not show submission ${submission.submissionUid}, which it accepted`);
    }
    const fetched = outcome.kind === 'found' ? outcome.documents : [];
    await this.settle({
      submission,
      environment,
      fetched,
      isAnswered: ABOUT_SUBMISSION.has(outcome.kind),
      correlationId: outcome.correlationId,
      authorityNow: ABOUT_SUBMISSION.has(outcome.kind) ? outcome.date : null,
      isLoginRefused: outcome.kind === 'client-refused',
      signal,
    });
    return true;
  }

  private async settle(poll: Poll): Promise<void> {
    const members = await readFollowed(this.dataSource.manager, poll.submission);
    const result: PollResult = {
      changes: [],
      doubtful: [],
      originals: [],
      absent: [],
      unreadable: [],
      contradicted: [],
      corrected: [],
      isWithoutReason: false,
    };
    for (const member of members) {
      const summary = await this.findSummary(poll, member);
      if (summary === 'absent') result.absent.push(member);
      else if (summary === 'contradicted') result.contradicted.push(member);
      else if (summary === 'unreadable') addUnreadable(result, { member, reason: UNREADABLE });
      else if (summary !== null) await this.addOutcome(poll, { member, summary }, result);
    }
    const { now, moved } = await withFailpoints('poll.settle', () =>
      this.dataSource.transaction((tx) => this.write(tx, poll, result)),
    );
    measureOutcomes(
      poll.environment,
      members.filter(({ transactionId }) => moved.has(transactionId)),
      { changes: result.changes, now },
    );
  }

  private async addOutcome(
    poll: Poll,
    { member, summary }: { member: FollowedDocument; summary: DocumentSummary },
    result: PollResult,
  ): Promise<void> {
    const outcome = await this.outcomes.readOutcome({ ...poll, member, summary });
    if (member.authorityUuid !== summary.authorityUuid) this.recordCorrection(member, summary, result.corrected);
    const change =
      outcome.kind === 'original'
        ? buildAdoption(member, outcome.original)
        : confirmUuid(member, summary, outcome.kind === 'change' ? outcome.change : null);
    if (change !== null) result.changes.push(change);
    if (outcome.kind === 'original') result.originals.push({ member, original: outcome.original });
    if (outcome.kind === 'without-reason') result.isWithoutReason = true;
    if (outcome.kind === 'unreadable') addUnreadable(result, { member, reason: outcome.reason });
    if (outcome.kind !== 'doubt') return;
    const { authorityUuid } = summary;
    result.doubtful.push({ ...member, authorityUuid, errors: outcome.errors });
    this.logger.warn(`${member.transactionId} is invalid as ${authorityUuid}: other copies of it are looked up`);
  }

  private async write(
    tx: EntityManager,
    { submission, environment, authorityNow, isLoginRefused }: Poll,
    { changes, doubtful, originals, absent, unreadable, contradicted, corrected, isWithoutReason }: PollResult,
  ): Promise<{ now: Date; moved: ReadonlySet<string> }> {
    const now = await readServiceNow(tx);
    const { tenantId } = submission;
    await releaseWrongUuids(tx, environment, corrected);
    // A uuid that another attempt has confirmed stays with that attempt.
    const uuids = changes.map(({ facts }) => facts?.authorityUuid).filter((uuid) => uuid !== undefined);
    const owners = await readUuidOwners(tx, environment, uuids);
    const isOwn = (uuid: string | null | undefined, transactionId: string): boolean =>
      (owners.get(uuid ?? '')?.transactionId ?? transactionId) === transactionId;
    const possible = changes.filter(({ transactionId, facts }) => isOwn(facts?.authorityUuid, transactionId));
    const moved = await changeStatuses(tx, { tenantId, now }, possible);
    await followOriginals(tx, submission, { originals, moved, now });
    const missingSince =
      absent.length + unreadable.length === 0 ? null : getEarlier(submission.missingSince ?? now, now);
    if (isMissedForLong(submission)) await lookUpOverdue(tx, submission, { absent, unreadable, now });
    await keepInDoubt(tx, submission, now);
    await leaveToOperator(tx, submission, { contradicted, now });
    const kept = doubtful.filter(({ authorityUuid, transactionId }) => isOwn(authorityUuid, transactionId));
    // Another poll or an operator may have decided a document meanwhile.
    const locked = new Set((await lockFollowed(tx, submission, kept)).map(({ transactionId }) => transactionId));
    const refused = kept.filter(({ transactionId }) => locked.has(transactionId));
    if (refused.length > 0) await splitOffRefused(tx, submission, { refused, now, nextLookupAt: now });
    if (possible.some(({ to }) => to !== 'submitted')) await decideHeldNotes(tx, { tenantId, now });
    const planned = computeNextPollAt(await readFollowed(tx, submission), submission.polls, { now, authorityNow });
    const soon = new Date(now.getTime() + LOGIN_REFUSED_SECONDS * 1_000);
    const nextAt = isLoginRefused && planned !== null && planned > soon ? soon : planned;
    const pollsWithoutReason = submission.pollsWithoutReason + (isWithoutReason ? 1 : 0);
    await setNextPoll(tx, submission, { at: nextAt, now, pollsWithoutReason, missingSince });
    return { now, moved };
  }

  /** Finds the authority's summary of an attempt. `absent` means that the response confirms none of its uuids. */
  private async findSummary(poll: Poll, member: FollowedDocument): Promise<FoundSummary> {
    const { authorityUuid } = member;
    if (!poll.isAnswered) return null;
    if (member.isUuidConfirmed && authorityUuid !== null) return this.findConfirmed(poll, { ...member, authorityUuid });
    const exact = findOriginal(poll.fetched.filter((summary) => compareIdentity(member, summary) === 'same'));
    const claimed = poll.fetched.find((each) => each.authorityUuid === authorityUuid && confirmsClaim(member, each));
    const summary = exact ?? claimed ?? null;
    if (summary === null) return isMissedForLong(poll.submission) ? this.readClaimed(poll, member) : 'absent';
    return summary.authorityUuid === authorityUuid ? summary : this.readAgreeing(poll, member, summary);
  }

  /**
   * Confirms the uuid from the submit response by reading the document's details, so that no operator has to decide
   * during an outage of Get Submission.
   */
  private async readClaimed(poll: Poll, member: FollowedDocument): Promise<DocumentSummary | 'absent'> {
    const { authorityUuid } = member;
    const details = authorityUuid === null ? null : await this.outcomes.readSummary({ ...poll, authorityUuid });
    const isConfirmed = details?.submissionUid === poll.submission.submissionUid && confirmsClaim(member, details);
    return isConfirmed ? details : 'absent';
  }

  /**
   * Finds a document by its confirmed uuid. If the submission is missing, waits ten minutes to save calls during
   * an outage.
   */
  private async findConfirmed(
    poll: Poll,
    member: FollowedDocument & { readonly authorityUuid: string },
  ): Promise<FoundSummary> {
    const { authorityUuid } = member;
    const shown = poll.fetched.find((summary) => summary.authorityUuid === authorityUuid);
    const missing = member.authorityStatus === 'Submitted' ? 'absent' : null;
    if (poll.fetched.length === 0 && !isMissedForLong(poll.submission)) return missing;
    const summary = shown ?? (await this.readElsewhere(poll, authorityUuid));
    if (summary === null || summary === 'unreadable') return summary;
    if (summary !== 'not-found' && !contradictsConfirmed(member, summary)) return summary;
    this.logger.error(
      `The authority shows another document or none under ${authorityUuid}, the uuid of ${member.transactionId}`,
    );
    return member.authorityStatus === 'Valid' ? this.checkContradiction(poll, member) : missing;
  }

  /** Returns `contradicted` only if two responses agree that the confirmed uuid is wrong. */
  private async checkContradiction(
    poll: Poll,
    member: FollowedDocument & { readonly authorityUuid: string },
  ): Promise<'contradicted' | null> {
    const details = await this.readElsewhere(poll, member.authorityUuid);
    if (details === null || details === 'unreadable') return null;
    if (details !== 'not-found') return contradictsConfirmed(member, details) ? 'contradicted' : null;
    const own = poll.fetched.find((each) => compareIdentity(member, each) === 'same');
    if (own === undefined) return null;
    return (await this.readSame(poll, member, own.authorityUuid)) === null ? null : 'contradicted';
  }

  private async readElsewhere(
    poll: Poll,
    authorityUuid: string,
  ): Promise<DocumentSummary | 'not-found' | 'unreadable' | null> {
    const outcome = await this.outcomes.readDetails({ ...poll, authorityUuid });
    if (outcome?.kind === 'found') return outcome.document;
    if (outcome?.kind === 'not-found') return 'not-found';
    return isUnreadable(outcome) ? 'unreadable' : null;
  }

  /** Returns the document if two responses agree on its uuid. */
  private async readAgreeing(
    poll: Poll,
    member: FollowedDocument,
    shown: DocumentSummary,
  ): Promise<DocumentSummary | 'absent'> {
    if ((await this.readSame(poll, member, shown.authorityUuid)) !== null) return shown;
    const claimed = member.authorityUuid === null ? null : await this.readSame(poll, member, member.authorityUuid);
    return claimed?.submissionUid === poll.submission.submissionUid ? claimed : 'absent';
  }

  private async readSame(poll: Poll, member: FollowedDocument, authorityUuid: string): Promise<DocumentSummary | null> {
    const details = await this.outcomes.readSummary({ ...poll, authorityUuid });
    return details !== null && compareIdentity(member, details) === 'same' ? details : null;
  }

  private recordCorrection(member: FollowedDocument, summary: DocumentSummary, corrected: DocumentSummary[]): void {
    corrected.push(summary);
    this.logger.error(
      `The authority's response named ${member.authorityUuid ?? "another attempt's uuid"} for ${member.transactionId}, ` +
        `which it has under ${summary.authorityUuid}`,
    );
  }
}

function addUnreadable(result: PollResult, document: OverdueDocument): void {
  if (document.member.authorityStatus === 'Submitted') result.unreadable.push(document);
}

function isMissedForLong({ polls, missingSince, polledAt, isInDoubt }: FollowedSubmission): boolean {
  if (isInDoubt) return true;
  if (missingSince === null || polls < POLLS_BEFORE_ALARM) return false;
  return polledAt.getTime() - missingSince.getTime() >= MISSED_SECONDS * 1_000;
}

/** After the clock was set back, a stored time may be in the future. */
function getEarlier(stored: Date, now: Date): Date {
  return stored < now ? stored : now;
}

/** Adds the confirmation of the uuid to a change. Returns null if nothing changed. */
function confirmUuid(
  member: FollowedDocument,
  { authorityUuid }: DocumentSummary,
  change: StatusChange | null,
): StatusChange | null {
  if (member.isUuidConfirmed) return change;
  const corrected = member.authorityUuid === authorityUuid ? {} : { authorityUuid };
  const { transactionId } = member;
  const confirmed = change ?? { transactionId, to: 'submitted', cause: 'uuid_confirmed' };
  return { ...confirmed, facts: { ...corrected, uuidConfirmed: true, ...confirmed.facts } };
}

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
