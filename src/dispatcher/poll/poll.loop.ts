import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AuthorityCalls } from '../../authority/authority-calls.js';
import type { DocumentSummary } from '../../authority/wire.js';
import { at } from '../../failpoints/failpoints.js';
import type { Environment } from '../../config/environment.js';
import { serviceNow } from '../../database/clock.js';
import { withReruns } from '../../database/reruns.js';
import { attemptStateOf } from '../../documents/statuses.js';
import { CallWindows } from '../call-windows.js';
import { isUnderItsNumber } from '../document-identity.js';
import { decideHeldNotes } from '../held-notes/held-notes.js';
import { readHeldUuids } from '../identity.sql.js';
import { nextWatchAt, secondsToNextLook } from './look-plan.js';
import type { Loop } from '../loop.js';
import { OutcomeReader, type SeenOutcome } from '../outcome-reader.js';
import {
  claimLook,
  type FollowedDocument,
  type FollowedSubmission,
  hasDueLook,
  lockFollowed,
  readFollowed,
  setNextLook,
} from './poll.sql.js';
import { splitOff } from '../reconcile/reconcile.sql.js';
import { changeStatuses, type StatusChange } from '../status-changes.js';

const SLOT_WITHIN_MS = 1_000;
// A uid that the authority does not know after this many looks (about two minutes) is worth a line in the log.
const LOOKS_BEFORE_ALARM = 7;
const LOGIN_REFUSED_SECONDS = 30;

/** A submission, and what the authority shows of it. */
interface Look {
  readonly submission: FollowedSubmission;
  readonly environment: Environment;
  readonly seen: readonly DocumentSummary[];
  readonly correlationId: string | null;
  /** Nothing was asked, since our own login is refused: not a look after which the next one may take its time. */
  readonly isLoginRefused: boolean;
  readonly signal: AbortSignal;
}

/** What a look comes to. */
interface LookResult {
  readonly changes: readonly StatusChange[];
  readonly doubtful: readonly FollowedDocument[];
  /** Some document is invalid, and the authority did not say why. */
  readonly isUnexplained: boolean;
}

/** Follows accepted submissions to their documents' outcomes: one call for each submission, never one for a document. */
@Injectable()
export class PollLoop implements Loop {
  readonly name = 'poll';
  readonly schedule = { intervalMs: 500, lanes: 4 };
  private readonly logger = new Logger(PollLoop.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly authority: AuthorityCalls,
    private readonly outcomes: OutcomeReader,
    private readonly windows: CallWindows,
  ) {}

  /** Looks at one due submission of each environment; returns how many. */
  async tick(signal: AbortSignal): Promise<number> {
    const looks = this.windows.environments.map((environment) => this.lookAtOne(environment, signal));
    return (await Promise.all(looks)).filter(Boolean).length;
  }

  private async lookAtOne(environment: Environment, signal: AbortSignal): Promise<boolean> {
    if (!(await hasDueLook(this.dataSource.manager, environment))) return false;
    const window = await this.windows.open(environment, 'getSubmission', SLOT_WITHIN_MS);
    if (window === null) return false;
    const { slot, leaseSeconds } = window;
    const submission = await at('poll.claim', () => claimLook(this.dataSource.manager, { environment, leaseSeconds }));
    if (submission === null) return false;
    const outcome = await this.authority.getSubmission(
      { taxpayer: submission.taxpayer, slot, signal },
      submission.submissionUid,
    );
    if (outcome.kind === 'not-yet' && submission.looks >= LOOKS_BEFORE_ALARM) {
      this.logger.warn(`The authority does not know submission ${submission.submissionUid} that it accepted`);
    }
    const seen = outcome.kind === 'found' ? outcome.documents : [];
    const isLoginRefused = outcome.kind === 'client-refused';
    await this.settle({ submission, environment, seen, correlationId: outcome.correlationId, isLoginRefused, signal });
    return true;
  }

  private async settle(look: Look): Promise<void> {
    const { submission, seen } = look;
    const members = await readFollowed(this.dataSource.manager, submission);
    const byUuid = new Map(seen.map((summary) => [summary.authorityUuid, summary]));
    const changes: StatusChange[] = [];
    const doubtful: FollowedDocument[] = [];
    let isUnexplained = false;
    for (const member of members) {
      const summary = byUuid.get(member.authorityUuid) ?? (await this.readElsewhere(look, member, byUuid.size > 0));
      if (summary === null) continue;
      const outcome = isUnderItsNumber(member, summary)
        ? await this.outcomes.outcomeOf({ ...look, member, summary })
        : await this.correctionFor(member, look);
      if (outcome.kind === 'change') changes.push(outcome.change);
      if (outcome.kind === 'unexplained') isUnexplained = true;
      if (outcome.kind === 'doubt') doubtful.push(member);
      if (outcome.kind === 'doubt') this.logger.error(`A person decides ${member.transactionId}: ${outcome.reason}`);
    }
    await at('poll.settle', () =>
      withReruns(() => this.dataSource.transaction((tx) => this.write(tx, look, { changes, doubtful, isUnexplained }))),
    );
  }

  private async write(
    tx: EntityManager,
    { submission, environment, isLoginRefused }: Look,
    { changes, doubtful, isUnexplained }: LookResult,
  ): Promise<void> {
    const now = await serviceNow(tx);
    const { tenantId } = submission;
    // A uuid that another attempt was given meanwhile stays its own; this attempt's next look finds that out.
    const uuids = changes.map(({ facts }) => facts?.authorityUuid).filter((uuid) => uuid !== undefined);
    const held = await readHeldUuids(tx, environment, uuids);
    const possible = changes.filter(({ facts }) => !held.has(facts?.authorityUuid ?? ''));
    await changeStatuses(tx, { tenantId, now }, possible);
    // Another poll or a person may have decided it since it was read.
    for (const transactionId of await lockFollowed(tx, submission, doubtful)) {
      await splitOff(tx, submission, { members: [{ transactionId }], why: 'disputed', now, nextLookAt: null });
    }
    if (possible.length > 0) await decideHeldNotes(tx, { tenantId, now });
    const planned = nextLookAt(await readFollowed(tx, submission), submission.looks, now);
    const soon = new Date(now.getTime() + LOGIN_REFUSED_SECONDS * 1_000);
    const nextAt = isLoginRefused && planned !== null && planned > soon ? soon : planned;
    const unexplainedLooks = submission.unexplainedLooks + (isUnexplained ? 1 : 0);
    await setNextLook(tx, submission, { at: nextAt, now, unexplainedLooks });
  }

  /**
   * The authority shows another document under the uuid: its answer named the wrong one, and another's outcome is not
   * ours. What the submission has under the document's number is ours, unless another attempt holds that.
   */
  private async correctionFor(
    member: FollowedDocument,
    { environment, seen, correlationId }: Look,
  ): Promise<SeenOutcome> {
    const { transactionId, authorityUuid } = member;
    const own = seen.find((summary) => isUnderItsNumber(member, summary));
    const uuids = own === undefined ? [] : [own.authorityUuid];
    const held = await readHeldUuids(this.dataSource.manager, environment, uuids);
    const isFree = own !== undefined && held.size === 0;
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
  private readElsewhere(look: Look, member: FollowedDocument, isAnswered: boolean): Promise<DocumentSummary | null> {
    if (!isAnswered) return Promise.resolve(null);
    return this.outcomes.summaryOf({ ...look, authorityUuid: member.authorityUuid });
  }
}

function nextLookAt(members: readonly FollowedDocument[], looks: number, now: Date): Date | null {
  const states = members.map(({ authorityStatus }) =>
    attemptStateOf({ submissionStatus: 'Submitted', authorityStatus }),
  );
  if (states.includes('submitted')) return new Date(now.getTime() + secondsToNextLook(looks + 1) * 1_000);
  // A valid document may still be cancelled, and a reason that was not given may still come.
  const watched = members.filter(({ authorityStatus, isUnexplained }) => authorityStatus === 'Valid' || isUnexplained);
  const latest = Math.max(
    ...watched.map(({ validatedAt, submittedAt, isUnexplained }) =>
      (validatedAt ?? (isUnexplained ? submittedAt : null) ?? now).getTime(),
    ),
  );
  return nextWatchAt(watched.length === 0 ? null : new Date(latest), now);
}
