import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { countAuthorityCall } from '../common/metrics.js';
import { withFailpoints } from '../common/failpoints/failpoints.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import type { Environment } from '../config/environment.js';
import type { Caller } from '../database/in-tenant.js';
import { type AuthorityApi, computeGapSeconds, computeLateSecondsMax, REQUEST_SHARES } from './call-limits.js';
import type { Throttled } from './outcomes.js';
import { readRetryAfterSeconds, THROTTLED_SECONDS } from './retry-after.js';
import { getAuthoritySettings } from './settings.js';
import type { Ending } from './ending.js';

/**
 * Why calls of an API wait. `client_refused` applies only to logins: the authority refuses our client id or secret.
 */
export type BlockReason = 'call_budget' | 'authority_unavailable' | 'client_refused';

export class CallSlot<Api extends AuthorityApi = AuthorityApi> {
  readonly #readyAt: number;
  readonly #failures: number;
  readonly #lateMsMax: number;
  #isUsed = false;

  constructor(
    readonly environment: Environment,
    readonly api: Api,
    readonly waitMs: number,
    { failures, lateMsMax }: { failures: number; lateMsMax: number },
  ) {
    this.#readyAt = performance.now() + waitMs;
    this.#failures = failures;
    this.#lateMsMax = lateMsMax;
  }

  get isTrial(): boolean {
    return this.#failures > 0;
  }

  get isProbe(): boolean {
    return this.#failures >= FAILURES_TO_OPEN;
  }

  get remainingMs(): number {
    return Math.max(0, this.#readyAt - performance.now());
  }

  /** Whether the slot has expired. A late call and the calls of current slots could exceed the limit together. */
  get isLate(): boolean {
    return performance.now() > this.#readyAt + this.#lateMsMax;
  }

  async ready(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { remainingMs } = this;
    if (remainingMs > 0) await wait(remainingMs, undefined, { signal });
  }

  /** @throws Error if the slot was already used, because a second call would not count against the budget */
  take(): void {
    if (this.#isUsed) throw new Error(`A call slot of ${this.api} was used twice`);
    this.#isUsed = true;
  }
}

export const FAILURES_TO_OPEN = 5;
const PROBE_SECONDS = 10;
const BACKOFF_BASE_SECONDS = 0.5;

// Reads the clock once so that all comparisons use the same time. `excluded.blocked_until` carries that time into the
// update. A caller that waited for the row lock sees the updated row.
const reserveSlot = /* sql */ `
  WITH clock AS MATERIALIZED (SELECT service_now() AS now)
  INSERT INTO call_budget AS budget (client_id, environment, api, next_at, blocked_until)
  SELECT $1, $2, $3, now + make_interval(secs => $4), now FROM clock
  ON CONFLICT (client_id, environment, api) DO UPDATE
     SET next_at = greatest(budget.next_at, budget.blocked_until, excluded.blocked_until) + make_interval(secs => $4),
         blocked_until = CASE WHEN budget.failures < ${FAILURES_TO_OPEN} THEN budget.blocked_until
           ELSE greatest(budget.next_at, budget.blocked_until, excluded.blocked_until)
                + interval '${PROBE_SECONDS} seconds' END
   WHERE greatest(budget.next_at, budget.blocked_until) <= excluded.blocked_until + make_interval(secs => $5)
  RETURNING extract(epoch FROM next_at - make_interval(secs => $4) - (SELECT now FROM clock)) * 1000 AS wait_ms, failures`;

const takeShare = /* sql */ `
  SELECT refused_by AS "refusedBy", wait_seconds AS "waitSeconds" FROM take_authority_share($1, $2, $3, $4, $5)`;

const readBudget = /* sql */ `
  SELECT greatest(0, extract(epoch FROM blocked_until - service_now())) * 1000 AS wait_ms, failures
    FROM call_budget WHERE client_id = $1 AND environment = $2 AND api = $3`;

// Keeps the longer block, and the start of a series of blocks.
const blockCalls = /* sql */ `
  WITH clock AS MATERIALIZED (SELECT service_now() AS now)
  INSERT INTO call_budget AS budget (client_id, environment, api, next_at, blocked_until, blocked_since, blocked_reason)
  SELECT $1, $2, $3, now, now + make_interval(secs => $4), now, $5 FROM clock
  ON CONFLICT (client_id, environment, api) DO UPDATE
     SET blocked_until = excluded.blocked_until,
         blocked_since = CASE WHEN budget.blocked_reason = excluded.blocked_reason
           AND (budget.blocked_until > excluded.blocked_since OR budget.failures > 0)
           THEN budget.blocked_since ELSE excluded.blocked_since END,
         blocked_reason = excluded.blocked_reason
   WHERE budget.blocked_until < excluded.blocked_until`;

// Capped exponential backoff with full jitter. The database provides time and random numbers because all replicas share
// the state.
const countFailure = /* sql */ `
  WITH clock AS MATERIALIZED (SELECT service_now() AS now)
  INSERT INTO call_budget AS budget
    (client_id, environment, api, next_at, blocked_until, blocked_since, blocked_reason, failures)
  SELECT $1, $2, $3, now, now + make_interval(secs => random() * ${2 * BACKOFF_BASE_SECONDS}), now,
         'authority_unavailable', 1 FROM clock
  ON CONFLICT (client_id, environment, api) DO UPDATE
     SET failures = budget.failures + 1,
         blocked_until = greatest(budget.blocked_until, excluded.blocked_since + make_interval(secs => random()
           * least(${PROBE_SECONDS}, ${BACKOFF_BASE_SECONDS} * power(2, least(budget.failures + 1, 20))))),
         blocked_since = CASE WHEN budget.failures > 0 OR budget.blocked_until > excluded.blocked_since
           THEN coalesce(budget.blocked_since, excluded.blocked_since) ELSE excluded.blocked_since END,
         blocked_reason = CASE WHEN budget.blocked_reason <> 'authority_unavailable' AND budget.blocked_until > excluded.blocked_since
           THEN budget.blocked_reason ELSE 'authority_unavailable' END`;

// Keeps one failure so that the next calls are small, because the probe contained no documents.
const endProbing = /* sql */ `
  UPDATE call_budget
     SET failures = 1, blocked_until = CASE WHEN blocked_reason = 'call_budget' THEN blocked_until ELSE service_now() END
   WHERE client_id = $1 AND environment = $2 AND api = $3 AND failures >= ${FAILURES_TO_OPEN}`;

// Keeps other blocks, because a late response does not cancel a 429.
const clearFailures = /* sql */ `
  WITH clock AS MATERIALIZED (SELECT service_now() AS now)
  UPDATE call_budget
     SET failures = 0,
         blocked_until = CASE WHEN blocked_reason <> 'authority_unavailable' THEN blocked_until ELSE clock.now END,
         blocked_since = CASE WHEN blocked_reason <> 'authority_unavailable' THEN blocked_since END,
         blocked_reason = CASE WHEN blocked_reason <> 'authority_unavailable' THEN blocked_reason END
    FROM clock
   WHERE client_id = $1 AND environment = $2 AND api = $3 AND failures > 0`;

// While the authority refuses our login, one login per PROBE_SECONDS tests it. Each probe extends the block, so the
// block expires only if no dispatcher is running.
export const REFUSAL_SECONDS = 3 * PROBE_SECONDS;
const isProbeDue = /* sql */ `
  client_id = $1 AND environment = $2 AND api = 'login' AND blocked_reason = 'client_refused'
  AND blocked_until <= service_now() + interval '${REFUSAL_SECONDS - PROBE_SECONDS} seconds'`;

const readProbe = /* sql */ `SELECT FROM call_budget WHERE ${isProbeDue}`;

const reserveProbe = /* sql */ `
  UPDATE call_budget
     SET next_at = greatest(next_at, service_now()) + make_interval(secs => $3),
         blocked_until = service_now() + interval '${REFUSAL_SECONDS} seconds'
   WHERE ${isProbeDue}
  RETURNING greatest(0, extract(epoch FROM next_at - make_interval(secs => $3) - service_now())) * 1000 AS wait_ms, failures`;

const endRefusal = /* sql */ `
  UPDATE call_budget SET blocked_until = service_now(), blocked_since = NULL, blocked_reason = NULL, failures = 0
   WHERE client_id = $1 AND environment = $2 AND api = 'login' AND blocked_reason = 'client_refused'
  RETURNING api`;

const readReason = /* sql */ `
  SELECT blocked_reason AS reason FROM call_budget
   WHERE client_id = $1 AND environment = $2 AND api = $3 AND blocked_until > service_now()`;

// A client waits for the response, so the wait allows for only one earlier login.
export const SHARE_WAIT_SECONDS_MAX = 11;

export const SLOT_WITHIN_SECONDS_MAX = 60;

interface CallBudgetRow {
  readonly wait_ms: string;
  readonly failures: number;
}

interface ShareRow {
  readonly refusedBy: string | null;
  readonly waitSeconds: number;
}

/** Spaces the calls of a client id. The authority does not publish its window and has penalised bursts. */
@Injectable()
export class CallBudget {
  private readonly logger = new Logger(CallBudget.name);

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** Reserves a slot within `withinMs`. Returns null if no slot is free. */
  async reserve<Api extends AuthorityApi>(
    environment: Environment,
    api: Api,
    withinMs: number,
  ): Promise<CallSlot<Api> | null> {
    const { rateFactor } = getAuthoritySettings(this.configuration, environment);
    const key = this.toKey(environment, api);
    const isUnlimited = rateFactor === 0;
    if (isUnlimited) {
      const [row] = await this.dataSource.query<CallBudgetRow[]>(readBudget, key);
      if (row === undefined || row.failures < FAILURES_TO_OPEN) {
        const slot = this.toSlot(environment, api, row ?? { wait_ms: '0', failures: 0 });
        return slot.waitMs <= withinMs ? slot : null;
      }
    }
    const withinSeconds = Math.min(withinMs / 1000, SLOT_WITHIN_SECONDS_MAX);
    const parameters = [...key, computeGapSeconds(api, rateFactor), withinSeconds];
    const [row] = await withFailpoints('budget.reserve', () =>
      this.dataSource.query<CallBudgetRow[]>(reserveSlot, parameters),
    );
    return row === undefined ? null : this.toSlot(environment, api, row);
  }

  /** Reserves a slot within the tenant's share (docs/decisions/0084-shares-of-authority-calls.md). */
  async reserveWithinShare<Api extends AuthorityApi>(
    { tenantId, environment }: Caller,
    api: Api,
    withinMs: number,
  ): Promise<CallSlot<Api> | Throttled | null> {
    const { rateFactor } = getAuthoritySettings(this.configuration, environment);
    const parts = REQUEST_SHARES[api];
    if (this.configuration.role === 'dispatcher' || parts === undefined || rateFactor === 0)
      return this.reserve(environment, api, withinMs);
    const holders = parts.map(({ holder }) => (holder === 'tenant' ? tenantId : holder));
    const gaps = parts.map(({ part }) => computeGapSeconds(api, rateFactor) / part);
    const shareWithinSeconds = Math.min(gaps[gaps.length - 1], SHARE_WAIT_SECONDS_MAX);
    const [{ refusedBy, waitSeconds }] = await withFailpoints('budget.share', () =>
      this.dataSource.query<[ShareRow]>(takeShare, [holders, gaps, environment, api, shareWithinSeconds]),
    );
    if (refusedBy !== null) {
      const throttled: Throttled = { kind: 'throttled', api, retryAfterSeconds: Math.ceil(waitSeconds) };
      return refusedBy === tenantId ? { ...throttled, isShareUsedUp: true } : throttled;
    }
    const waitMs = waitSeconds * 1_000;
    if (waitMs > 0) await wait(waitMs);
    // Deducts the wait for the share from the time for a slot, so that other tenants come first.
    return this.reserve(environment, api, Math.max(withinMs - waitMs, withinMs / 2));
  }

  private toKey(environment: Environment, api: AuthorityApi): string[] {
    return [getAuthoritySettings(this.configuration, environment).clientId, environment, api];
  }

  private toSlot<Api extends AuthorityApi>(environment: Environment, api: Api, row: CallBudgetRow): CallSlot<Api> {
    const { rateFactor } = getAuthoritySettings(this.configuration, environment);
    const lateMsMax = computeLateSecondsMax(api, rateFactor) * 1000;
    return new CallSlot(environment, api, Math.max(0, Number(row.wait_ms)), { failures: row.failures, lateMsMax });
  }

  async findBlockReason(environment: Environment, api: AuthorityApi): Promise<BlockReason | null> {
    const key = this.toKey(environment, api);
    const [row] = await this.dataSource.query<{ reason: BlockReason | null }[]>(readReason, key);
    return row?.reason ?? null;
  }

  refuseLogins(environment: Environment): Promise<void> {
    return this.block(environment, 'login', REFUSAL_SECONDS, 'client_refused');
  }

  async isLoginProbeDue(environment: Environment): Promise<boolean> {
    const { clientId } = getAuthoritySettings(this.configuration, environment);
    return (await this.dataSource.query<unknown[]>(readProbe, [clientId, environment])).length > 0;
  }

  async reserveLoginProbe(environment: Environment): Promise<CallSlot<'login'> | null> {
    const { clientId, rateFactor } = getAuthoritySettings(this.configuration, environment);
    const parameters = [clientId, environment, computeGapSeconds('login', rateFactor)];
    const [[row]] = await withFailpoints('budget.reserve_probe', () =>
      this.dataSource.query<[CallBudgetRow[], number]>(reserveProbe, parameters),
    );
    return row === undefined ? null : this.toSlot(environment, 'login', row);
  }

  /** @returns whether our login had been refused */
  async endRefusal(environment: Environment): Promise<boolean> {
    const { clientId } = getAuthoritySettings(this.configuration, environment);
    const [ended] = await withFailpoints('budget.end_refusal', () =>
      this.dataSource.query<[unknown[], number]>(endRefusal, [clientId, environment]),
    );
    return ended.length > 0;
  }

  async block(environment: Environment, api: AuthorityApi, seconds: number, reason: BlockReason): Promise<void> {
    const parameters = [...this.toKey(environment, api), seconds, reason];
    await withFailpoints('budget.block', () => this.dataSource.query(blockCalls, parameters));
  }

  async recordFailure(environment: Environment, api: AuthorityApi): Promise<void> {
    await withFailpoints('budget.fail', () => this.dataSource.query(countFailure, this.toKey(environment, api)));
  }

  /** Updates the shared budget after a call. Never throws, so that the caller always receives the outcome. */
  async recordOutcome(slot: CallSlot, ending: Ending, outcome: string): Promise<void> {
    countAuthorityCall(slot.environment, slot.api, outcome);
    try {
      await this.storeOutcome(slot, ending, outcome);
    } catch (error) {
      this.logger.error(
        `The call budget could not be updated: ${error instanceof Error ? error.message : 'unknown error'}`,
      );
    }
  }

  private async storeOutcome(slot: CallSlot, ending: Ending, outcome: string): Promise<void> {
    const { environment, api } = slot;
    if (ending.kind !== 'response') {
      if (!ending.isGivenUp) await this.recordFailure(environment, api);
      return;
    }
    if (outcome === 'throttled') {
      await this.block(environment, api, readRetryAfterSeconds(ending) ?? THROTTLED_SECONDS, 'call_budget');
      return;
    }
    if (outcome === 'reachable') {
      await this.endProbing(slot);
      return;
    }
    if (outcome !== 'unavailable' && outcome !== 'unknown') {
      await this.recordSuccess(slot);
      return;
    }
    await this.recordFailure(environment, api);
    const seconds = readRetryAfterSeconds(ending);
    if (seconds !== null) await this.block(environment, api, seconds, 'authority_unavailable');
  }

  async recordSuccess({ isTrial, environment, api }: CallSlot): Promise<void> {
    if (!isTrial) return;
    await withFailpoints('budget.clear', () => this.dataSource.query(clearFailures, this.toKey(environment, api)));
  }

  private async endProbing({ environment, api }: CallSlot): Promise<void> {
    await withFailpoints('budget.end_probing', () => this.dataSource.query(endProbing, this.toKey(environment, api)));
  }
}
