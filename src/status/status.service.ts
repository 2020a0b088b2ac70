import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BadRequestError, NotFoundError } from '../errors/api-error.js';
import type { HttpResult } from '../http/http-result.js';
import { type AuthoritySettings, type Configuration, CONFIGURATION } from '../config/configuration.js';
import type { Caller } from '../database/in-tenant.js';
import type { Interruptions } from './interruptions.decorator.js';
import { matches, type StatusConditions } from './status-conditions.js';
import { READ_STATUS, type StatusRow } from './status.sql.js';
import { computeEntityTag, isMoving, toSubmissionStatus } from './submission-status.js';

const UUID_SHAPE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

// A waiter costs one short read in this time and no connection in between.
const POLL_INTERVAL_MS = 500;
/** What one read may take beyond the wait; with the way of the response a client waits at most a second longer. */
const POLL_LATE_MS_MAX = 750;
/** Further callers that ask to wait are answered immediately. */
const WAITERS_MAX = 500;

@Injectable()
export class StatusService implements BeforeApplicationShutdown {
  private readonly shutdown = new AbortController();
  private waiters = 0;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  beforeApplicationShutdown(): void {
    this.shutdown.abort();
  }

  /**
   * The stored state of a batch (docs/rules.md#status-response); the authority is not asked. While the client's `wait`
   * lasts, a response that it holds already is kept back until something changes.
   * @throws BadRequestError (400) for what is not a UUID, NotFoundError (404) for a batch that is not the caller's,
   *   ApiKeyError (401) when the key ends during the wait
   */
  async read(
    caller: Caller,
    submissionBatchId: string,
    conditions: StatusConditions,
    interruptions: Interruptions,
  ): Promise<HttpResult> {
    if (!UUID_SHAPE.test(submissionBatchId)) {
      throw new BadRequestError(
        'submission_batch_id_invalid',
        'submissionBatchId must be a UUID, from the response of submit',
      );
    }
    const { portalUrl, clientId } = this.getAuthority(caller);
    const request = { submissionBatchId: submissionBatchId.toLowerCase(), environment: caller.environment, portalUrl };
    const readAgain = (): Promise<StatusRow[]> => this.readRows(caller, submissionBatchId, clientId);
    const rows = await this.waitForChange(conditions, interruptions, readAgain);
    const status = toSubmissionStatus(rows, request);
    const entityTag = computeEntityTag(rows);
    const headers: Record<string, string | number> = { ETag: entityTag, 'Cache-Control': 'private, no-cache' };
    if (status.nextPollAfterSeconds !== null) headers['Retry-After'] = status.nextPollAfterSeconds;
    if (matches(conditions.ifNoneMatch, entityTag)) return { status: 304, headers, body: null };
    return { status: 200, headers, body: status };
  }

  private async waitForChange(
    { ifNoneMatch, waitSeconds }: StatusConditions,
    { gone, checkKeyAgain }: Interruptions,
    readAgain: () => Promise<StatusRow[]>,
  ): Promise<StatusRow[]> {
    const waitUntil = performance.now() + waitSeconds * 1_000;
    let rows = await readAgain();
    if (waitSeconds === 0 || this.waiters >= WAITERS_MAX) return rows;
    const ended = AbortSignal.any([gone, this.shutdown.signal]);
    this.waiters += 1;
    try {
      while (
        matches(ifNoneMatch, computeEntityTag(rows)) &&
        isMoving(rows) &&
        performance.now() < waitUntil &&
        !ended.aborted
      ) {
        await delay(Math.min(POLL_INTERVAL_MS, waitUntil - performance.now()), undefined, { signal: ended }).catch(
          () => undefined,
        );
        const again = checkKeyAgain().then(readAgain);
        rows = (await waitAtMost(waitUntil + POLL_LATE_MS_MAX - performance.now(), again)) ?? rows;
      }
      return rows;
    } finally {
      this.waiters -= 1;
    }
  }

  private async readRows(caller: Caller, submissionBatchId: string, clientId: string): Promise<StatusRow[]> {
    const parameters = [caller.tenantId, caller.environment, submissionBatchId, clientId];
    const rows = await this.dataSource.query<StatusRow[]>(READ_STATUS, parameters);
    if (rows.length === 0) throw new NotFoundError('submission batch');
    return rows;
  }

  private getAuthority({ environment }: Caller): AuthoritySettings {
    const authority = this.configuration.authorities[environment];
    if (authority === undefined) throw new Error(`A key of ${environment}, which is not served, passed the guard`);
    return authority;
  }
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
