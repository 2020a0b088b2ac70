import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { BadRequestError } from '../errors/api-error.js';
import type { HttpResult } from '../http/http-result.js';
import type { LaterResponse } from '../http/later-response.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import type { AuthenticatedCaller } from '../database/in-tenant.js';
import { type HeldPoll, type HeldPollEnd, HeldPolls } from './held-polls.js';
import { type KnownState, KnownStates } from './known-states.js';
import type { Interruptions } from './interruptions.decorator.js';
import { matches, type StatusConditions } from './status-conditions.js';
import { computePollInterval } from './poll-interval.js';
import { StatusReader } from './status-reader.js';
import type { StatusRow } from './status.sql.js';
import {
  computeAgeSeconds,
  computeEntityTag,
  describeState,
  isMoving,
  type StatusRequest,
  toSubmissionStatus,
} from './submission-status.js';

const UUID_SHAPE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What a read after a change may take beyond the wait; a client waits at most a second longer than it asked for. */
const READ_LATE_MS_MAX = 750;

/** What one read of a batch comes to. */
interface Reading extends KnownState {
  readonly result: HttpResult;
  /** Whether the client has this representation, and it may still change. */
  readonly isWorthWaiting: boolean;
}

interface Asked {
  readonly caller: AuthenticatedCaller;
  /** In lower case. */
  readonly submissionBatchId: string;
  readonly conditions: StatusConditions;
}

/** A poll that has a slot. The rows of its batch, which may be many, are not kept while it is held. */
interface Poll extends HeldPoll, Asked {}

@Injectable()
export class StatusService {
  private readonly knownStates: KnownStates;

  constructor(
    private readonly reader: StatusReader,
    private readonly heldPolls: HeldPolls,
    @Inject(CONFIGURATION) configuration: Configuration,
  ) {
    this.knownStates = new KnownStates(configuration.heldPollsMax);
  }

  /**
   * The stored state of a batch (docs/rules.md#status-response); the authority is not asked.
   * @throws BadRequestError (400) for what is not a UUID, NotFoundError (404) for a batch that is not the caller's
   */
  async read(caller: AuthenticatedCaller, batchId: string): Promise<HttpResult> {
    const { result } = await this.readOnce({ caller, submissionBatchId: toBatchId(batchId), conditions: AT_ONCE });
    return result;
  }

  /**
   * As `read`; while the client's `wait` lasts, a response that it holds already is kept back until something changes.
   * @throws BadRequestError (400), NotFoundError (404), ApiKeyError (401) when the key ends during the wait
   */
  async poll(
    caller: AuthenticatedCaller,
    batchId: string,
    conditions: StatusConditions,
    interruptions: Interruptions,
  ): Promise<HttpResult | LaterResponse> {
    const waitUntil = performance.now() + conditions.waitSeconds * 1_000;
    const submissionBatchId = toBatchId(batchId);
    const asked = { caller, submissionBatchId, conditions };
    // Member by member: V8 gives each object a separate hidden class if it is spread and then gets a fraction.
    const holdWith = (known: KnownState, isRemembered: boolean): LaterResponse =>
      this.hold({ caller, submissionBatchId, conditions, known, isRemembered, waitUntil, interruptions });
    const remembered = conditions.waitSeconds > 0 ? this.findKnown(asked) : undefined;
    if (remembered !== undefined && this.heldPolls.tryAcquireSlot(caller.tenantId)) return holdWith(remembered, true);
    const reading = await this.readOnce(asked);
    if (!reading.isWorthWaiting || !this.heldPolls.tryAcquireSlot(caller.tenantId)) return reading.result;
    return holdWith(this.remember(asked, reading), false);
  }

  private async readOnce(asked: Asked): Promise<Reading> {
    return this.judge(await this.reader.read(asked.caller, asked.submissionBatchId), asked);
  }

  private judge(rows: readonly StatusRow[], { caller, submissionBatchId, conditions }: Asked): Reading {
    const { portalUrl } = this.reader.getAuthority(caller);
    return judgeRows(rows, { submissionBatchId, environment: caller.environment, portalUrl }, conditions);
  }

  private findKnown(asked: Asked): KnownState | undefined {
    return this.knownStates.find(toBatchName(asked), asked.conditions.ifNoneMatch);
  }

  private remember(asked: Asked, { entityTag, state, ageSeconds, readAt }: Reading): KnownState {
    return this.knownStates.remember(toBatchName(asked), { entityTag, state, ageSeconds, readAt });
  }

  private hold(poll: Poll): LaterResponse {
    return {
      hold: (respond) =>
        this.heldPolls.wait(poll, (end) => {
          // Nothing more is done for it: thousands of clients may hang up at the same moment.
          if (end === 'gone') this.heldPolls.releaseSlot(poll.caller.tenantId);
          else respond(this.follow(poll, end));
        }),
    };
  }

  /** Continues after a wait: with another wait, or with the response of a poll, which releases its slot. */
  private async follow(poll: Poll, end: HeldPollEnd): Promise<HttpResult | LaterResponse> {
    let next: HttpResult | Poll | undefined;
    try {
      next = await this.decide(poll, end);
      return isPoll(next) ? this.hold(next) : next;
    } finally {
      if (!isPoll(next)) this.heldPolls.releaseSlot(poll.caller.tenantId);
    }
  }

  private async decide(poll: Poll, end: HeldPollEnd): Promise<HttpResult | Poll> {
    const { waitUntil, interruptions } = poll;
    let rows: StatusRow[] | undefined;
    try {
      rows = await readAfter(end, waitUntil, interruptions);
    } finally {
      await this.heldPolls.takeTurn(poll.caller.tenantId);
    }
    const isOver = performance.now() >= waitUntil;
    if (rows === undefined) return isOver || !isOfKey(end) ? toUnchanged(poll.known) : poll;
    const reading = this.judge(rows, poll);
    if (!reading.isWorthWaiting) return reading.result;
    return isOver ? toUnchanged(reading) : { ...poll, known: this.remember(poll, reading), isRemembered: false };
  }
}

const AT_ONCE: StatusConditions = { ifNoneMatch: null, waitSeconds: 0 };

/** @throws BadRequestError (400) */
function toBatchId(text: string): string {
  if (UUID_SHAPE.test(text)) return text.toLowerCase();
  throw new BadRequestError(
    'submission_batch_id_invalid',
    'submissionBatchId must be a UUID, from the response of submit',
  );
}

function toBatchName({ caller: { tenantId, environment }, submissionBatchId }: Asked): string {
  return `${tenantId} ${environment} ${submissionBatchId}`;
}

const isPoll = (next: HttpResult | Poll | undefined): next is Poll => next !== undefined && 'known' in next;

const isOfKey = (end: HeldPollEnd): boolean => typeof end !== 'string' && 'keyEndedAt' in end;

function judgeRows(
  rows: readonly StatusRow[],
  request: StatusRequest,
  { ifNoneMatch, waitSeconds }: StatusConditions,
): Reading {
  const status = toSubmissionStatus(rows, request);
  const entityTag = computeEntityTag(rows);
  const headers: Record<string, string | number> = toHeaders(entityTag);
  if (status.nextPollAfterSeconds !== null) headers['Retry-After'] = status.nextPollAfterSeconds;
  const isKnown = matches(ifNoneMatch, entityTag);
  const isWorthWaiting = isKnown && waitSeconds > 0 && isMoving(rows);
  return {
    entityTag,
    result: isKnown ? { status: 304, headers, body: null } : { status: 200, headers, body: status },
    isWorthWaiting,
    state: isWorthWaiting ? describeState(rows) : '',
    ageSeconds: computeAgeSeconds(rows),
    readAt: performance.now(),
  };
}

/** The response to a poll that was held: it says when to poll again as if the batch had been read now. */
function toUnchanged({ entityTag, ageSeconds, readAt }: KnownState): HttpResult {
  const seconds = computePollInterval(ageSeconds + (performance.now() - readAt) / 1_000);
  return { status: 304, headers: { ...toHeaders(entityTag), 'Retry-After': seconds }, body: null };
}

function toHeaders(entityTag: string): Record<string, string> {
  return { ETag: entityTag, 'Cache-Control': 'private, no-cache' };
}

/**
 * What is to be read after the end of a wait: the rows of the changed batch, unless they come too late.
 * @throws ApiKeyError (401) when the wait ended with its key
 */
async function readAfter(
  end: HeldPollEnd,
  waitUntil: number,
  interruptions: Interruptions,
): Promise<StatusRow[] | undefined> {
  if (end === 'over') return undefined;
  if ('rows' in end) return waitAtMost(waitUntil + READ_LATE_MS_MAX - performance.now(), end.rows);
  await interruptions.checkKeyAgain(end.keyEndedAt);
  return undefined;
}

/** Returns the result of the work, or undefined after a timeout. A result that arrives after the timeout is ignored. */
async function waitAtMost<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  const timer = new AbortController();
  const late = delay(milliseconds, undefined, { signal: timer.signal }).catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}
