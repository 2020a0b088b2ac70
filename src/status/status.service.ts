import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BadRequestError, NotFoundError } from '../errors/api-error.js';
import type { HttpResult } from '../http/http-result.js';
import type { LaterResponse } from '../http/later-response.js';
import { type AuthoritySettings, type Configuration, CONFIGURATION } from '../config/configuration.js';
import { type AuthenticatedCaller, type Caller, TenantTransactions } from '../database/in-tenant.js';
import { type HeldPoll, type HeldPollEnd, HeldPolls } from './held-polls.js';
import { type KnownState, KnownStates } from './known-states.js';
import type { Interruptions } from './interruptions.decorator.js';
import { matches, type StatusConditions } from './status-conditions.js';
import { computePollInterval } from './poll-interval.js';
import { READ_STATUS, type StatusRow } from './status.sql.js';
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

/** What one read of a batch comes to. The rows, which may be many, are not kept while a poll is held. */
interface Reading extends KnownState {
  readonly result: HttpResult;
  /** Whether the client has this representation, and it may still change. */
  readonly isWorthWaiting: boolean;
  /** Whether it was read for an earlier poll. */
  readonly isRemembered: boolean;
}

@Injectable()
export class StatusService {
  private readonly knownStates: KnownStates;

  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TenantTransactions,
    private readonly heldPolls: HeldPolls,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {
    this.knownStates = new KnownStates(configuration.heldPollsMax);
  }

  /**
   * The stored state of a batch (docs/rules.md#status-response); the authority is not asked. While the client's `wait`
   * lasts, a response that it holds already is kept back until something changes.
   * @throws BadRequestError (400) for what is not a UUID, NotFoundError (404) for a batch that is not the caller's,
   *   ApiKeyError (401) when the key ends during the wait
   */
  async read(
    caller: AuthenticatedCaller,
    submissionBatchId: string,
    conditions: StatusConditions,
    interruptions: Interruptions,
  ): Promise<HttpResult | LaterResponse> {
    if (!UUID_SHAPE.test(submissionBatchId)) {
      throw new BadRequestError(
        'submission_batch_id_invalid',
        'submissionBatchId must be a UUID, from the response of submit',
      );
    }
    const { portalUrl, clientId } = this.getAuthority(caller);
    const request = { submissionBatchId: submissionBatchId.toLowerCase(), environment: caller.environment, portalUrl };
    const waitUntil = performance.now() + conditions.waitSeconds * 1_000;
    const read = (): Promise<StatusRow[]> => this.readRows(caller, request.submissionBatchId, clientId);
    const judge = (rows: StatusRow[]): Reading => judgeRows(rows, request, conditions);
    const batch = `${caller.tenantId} ${request.environment} ${request.submissionBatchId}`;
    const known = conditions.waitSeconds > 0 ? this.knownStates.find(batch, conditions.ifNoneMatch) : undefined;
    const isIn = known !== undefined && this.heldPolls.tryEnter(caller.tenantId);
    const reading = isIn ? toReading(known) : judge(await read());
    if (!isIn) {
      if (!reading.isWorthWaiting || !this.heldPolls.tryEnter(caller.tenantId)) return reading.result;
      const { entityTag, state, ageSeconds, readAt } = reading;
      this.knownStates.remember(batch, { entityTag, state, ageSeconds, readAt });
    }
    const { onGone } = interruptions;
    const poll = { caller, submissionBatchId: request.submissionBatchId, onGone, read };
    return { later: this.hold({ reading, waitUntil, judge }, interruptions, poll) };
  }

  /** The response to a poll that has a place, which it gives back. */
  private async hold(
    { reading, waitUntil, judge }: { reading: Reading; waitUntil: number; judge: (rows: StatusRow[]) => Reading },
    { checkKeyAgain }: Interruptions,
    poll: Omit<HeldPoll, 'state' | 'isRemembered' | 'milliseconds'>,
  ): Promise<HttpResult> {
    const { tenantId } = poll.caller;
    try {
      for (;;) {
        const milliseconds = waitUntil - performance.now();
        if (!reading.isWorthWaiting || milliseconds <= 0) return renew(reading);
        const { state, isRemembered } = reading;
        const end = await this.heldPolls.wait({ ...poll, state, isRemembered, milliseconds });
        let rows: StatusRow[] | undefined;
        try {
          rows = await follow(end, waitUntil, checkKeyAgain);
        } finally {
          await this.heldPolls.takeTurn(tenantId);
        }
        if (rows !== undefined) reading = judge(rows);
        else if (end === 'over' || 'rows' in end) return renew(reading);
      }
    } finally {
      this.heldPolls.leave(tenantId);
    }
  }

  private async readRows(caller: Caller, submissionBatchId: string, clientId: string): Promise<StatusRow[]> {
    const parameters = [caller.tenantId, caller.environment, submissionBatchId, clientId];
    const rows = await this.transactions.inShare(caller, () =>
      this.dataSource.query<StatusRow[]>(READ_STATUS, parameters),
    );
    if (rows.length === 0) throw new NotFoundError('submission batch');
    return rows;
  }

  private getAuthority({ environment }: Caller): AuthoritySettings {
    const authority = this.configuration.authorities[environment];
    if (authority === undefined) throw new Error(`A key of ${environment}, which is not served, passed the guard`);
    return authority;
  }
}

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
    isRemembered: false,
  };
}

function toReading(known: KnownState): Reading {
  const result = { status: 304, headers: toHeaders(known.entityTag), body: null };
  return { ...known, result, isWorthWaiting: true, isRemembered: true };
}

function toHeaders(entityTag: string): Record<string, string> {
  return { ETag: entityTag, 'Cache-Control': 'private, no-cache' };
}

/** The response to a poll that was held: it says when to poll again as if it had been read now. */
function renew({ result, ageSeconds, readAt, isWorthWaiting }: Reading): HttpResult {
  if (!isWorthWaiting) return result;
  const seconds = computePollInterval(ageSeconds + (performance.now() - readAt) / 1_000);
  return { ...result, headers: { ...result.headers, 'Retry-After': seconds } };
}

/**
 * What is to be read after the end of a wait: the rows of the changed batch, unless they come too late.
 * @throws ApiKeyError (401) when the wait ended with its key
 */
async function follow(
  end: HeldPollEnd,
  waitUntil: number,
  checkKeyAgain: Interruptions['checkKeyAgain'],
): Promise<StatusRow[] | undefined> {
  if (end === 'over') return undefined;
  if ('rows' in end) return waitAtMost(waitUntil + READ_LATE_MS_MAX - performance.now(), end.rows);
  await checkKeyAgain(end.keyEndedAt);
  return undefined;
}

/** What the work gives; undefined when it takes longer than so many milliseconds, and then how it ends is nobody's. */
async function waitAtMost<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  const timer = new AbortController();
  const late = delay(milliseconds, undefined, { signal: timer.signal }).catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}
