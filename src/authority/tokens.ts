import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { runWithoutAccess } from '../database/access.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import type { Environment } from '../config/environment.js';
import type { AuthorityError } from './authority-errors.js';
import { CallBudget, CallSlot } from './call-budget.js';
import { buildLogin, classifyLogin, describeLoginFailure, type LoginResult } from './login.js';
import type { LoginFailure } from './outcomes.js';
import { getAuthoritySettings } from './settings.js';
import type { TokenKey } from './token-cipher.js';
import { type StoredToken, TokenStore } from './token-store.js';
import { AuthorityTransport } from './transport.js';

export interface Taxpayer {
  readonly tenantId: string;
  /** A TIN or `TIN:BRN`, from `formatOnBehalfOf`. */
  readonly onBehalfOf: string;
}

export interface LastLogin {
  readonly at: string;
  /** Whether the authority accepted our client id and secret. Null if the login did not show it. */
  readonly isAccepted: boolean | null;
  readonly result: string;
}

export type TokenOutcome =
  | {
      readonly kind: 'token';
      readonly token: StoredToken;
      /** Whether this request logged in. */ readonly isNew: boolean;
    }
  | LoginFailure;

export interface WaitLimits {
  readonly deadlineAt: number;
  readonly signal?: AbortSignal;
}

// Spacing of 12 logins per minute, rounded up. A longer wait would delay calls that need no login.
const LOGIN_SLOT_WAIT_MS = 6_000;
const LOGIN_DEADLINE_MS = 30_000;
// Exceeds the sum of the waits for share and slot and the login's deadline, so that no other replica logs in.
export const LOGIN_LEASE_SECONDS = 60;
const OBTAIN_MS_MAX = 120_000;
const POLL_MS_MIN = 50;
const POLL_MS_MAX = 1_000;
export const REFUSAL_PAUSE_SECONDS = 60;
const RETRY_LATER_SECONDS = 10;

const CLIENT_REFUSED: LoginFailure = { kind: 'client-refused' };

const LOGINS_BUSY: LoginFailure = { kind: 'throttled', api: 'login', retryAfterSeconds: RETRY_LATER_SECONDS };

const LOGINS_FAIL: LoginFailure = {
  kind: 'unavailable',
  cause: 'response',
  reason: 'logins are failing',
  retryAfterSeconds: RETRY_LATER_SECONDS,
};

const LOGIN_AMBIGUOUS: LoginFailure = {
  kind: 'unavailable',
  cause: 'response',
  reason: 'the login was refused, and the cause may be our credentials or the taxpayer',
  retryAfterSeconds: RETRY_LATER_SECONDS,
};

const RECENTLY_REFUSED: LoginFailure = {
  kind: 'not-appointed',
  isPaused: true,
  errors: [
    { code: null, message: 'The login on behalf of this taxpayer was refused less than a minute ago', path: null },
  ],
};

/** Logs in on behalf of taxpayers. A lease in the database prevents parallel logins. All replicas share the tokens. */
@Injectable()
export class AuthorityTokens {
  private readonly logger = new Logger(AuthorityTokens.name);
  private readonly pending = new Map<string, Promise<TokenOutcome>>();
  private readonly logins: Partial<Record<Environment, LastLogin>> = {};

  constructor(
    private readonly store: TokenStore,
    private readonly transport: AuthorityTransport,
    private readonly budget: CallBudget,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  get lastLogins(): Readonly<Partial<Record<Environment, LastLogin>>> {
    return this.logins;
  }

  async getToken(environment: Environment, taxpayer: Taxpayer, limits: WaitLimits): Promise<TokenOutcome> {
    const key = this.toTokenKey(environment, taxpayer);
    const name = JSON.stringify(key);
    const obtaining = this.pending.get(name) ?? this.begin(name, key);
    const outcome = await beforeDeadline(obtaining, limits);
    // The pending login may never end, so the next caller must start a new one.
    if (outcome === DEADLINE_PASSED) this.forget(name, obtaining);
    return outcome;
  }

  async logInAgain(environment: Environment, taxpayer: Taxpayer, limits: WaitLimits): Promise<TokenOutcome> {
    const outcome = await this.getToken(environment, taxpayer, limits);
    if (outcome.kind !== 'token' || outcome.isNew) return outcome;
    await this.drop(environment, taxpayer, outcome.token);
    return this.getToken(environment, taxpayer, limits);
  }

  /** Returns the recorded refusal of a login, so that the caller needs no slot. */
  async findRefusal(environment: Environment, taxpayer: Taxpayer): Promise<LoginFailure | null> {
    const { token, isPaused, isAmbiguous } = await this.store.read(this.toTokenKey(environment, taxpayer));
    return token === null && isPaused ? buildRefusal(isAmbiguous) : null;
  }

  /** Deletes a token for all replicas after a 401, unless it has been replaced. */
  async drop(environment: Environment, taxpayer: Taxpayer, token: StoredToken): Promise<void> {
    await this.store.drop(this.toTokenKey(environment, taxpayer), token);
  }

  private begin(name: string, key: TokenKey): Promise<TokenOutcome> {
    // Other callers share the login, so it must continue if this request loses its access.
    const obtaining = runWithoutAccess(() => this.obtain(key)).finally(() => this.forget(name, obtaining));
    this.pending.set(name, obtaining);
    return obtaining;
  }

  private forget(name: string, obtaining: Promise<TokenOutcome>): void {
    if (this.pending.get(name) === obtaining) this.pending.delete(name);
  }

  private toTokenKey(environment: Environment, taxpayer: Taxpayer): TokenKey {
    const { clientId } = getAuthoritySettings(this.configuration, environment);
    return { tenantId: taxpayer.tenantId, environment, clientId, onBehalfOf: taxpayer.onBehalfOf };
  }

  private async obtain(key: TokenKey): Promise<TokenOutcome> {
    const giveUpAt = performance.now() + OBTAIN_MS_MAX;
    for (let pollMs = POLL_MS_MIN; performance.now() < giveUpAt; pollMs = Math.min(pollMs * 2, POLL_MS_MAX)) {
      const { token, isPaused, isAmbiguous, version } = await this.store.read(key);
      if (token !== null && (isPaused || !token.isDue)) return { kind: 'token', token, isNew: false };
      if (isPaused) return buildRefusal(isAmbiguous);
      if (this.configuration.role === 'operator') await this.store.requireSharedKey(key);
      const owner = randomUUID();
      const isOurs = await this.store.claim(key, { owner, seconds: LOGIN_LEASE_SECONDS }, version);
      if (isOurs) return this.logInAndShare(key, owner, token);
      if (token !== null) return { kind: 'token', token, isNew: false };
      await wait(pollMs);
    }
    return LOGINS_BUSY;
  }

  async probe(slot: CallSlot<'login'>, taxpayer: Taxpayer): Promise<'accepted' | 'refused' | 'unknown'> {
    const outcome = await this.tryLogin(this.toTokenKey(slot.environment, taxpayer), () => Promise.resolve(slot));
    if (outcome.kind === 'token') return 'accepted';
    if (!isClientRefusal(outcome)) return 'unknown';
    this.recordLogin(slot.environment, false, outcome);
    return 'refused';
  }

  private async logInAndShare(key: TokenKey, owner: string, current: StoredToken | null): Promise<TokenOutcome> {
    try {
      const outcome = await this.logIn(key);
      if (outcome.kind === 'token') {
        return { kind: 'token', token: await this.store.store(key, owner, outcome), isNew: true };
      }
      const failure = outcome.kind === 'login-doubted' ? await this.attributeRefusal(key, outcome.errors) : outcome;
      if (failure.kind === 'not-appointed') {
        await this.store.pause(key, owner, { seconds: REFUSAL_PAUSE_SECONDS, isAmbiguous: false });
        return failure;
      }
      // The API process cannot determine the cause. The pause prevents polling clients from using up the login budget.
      const isUndecided = outcome.kind === 'login-doubted' && this.configuration.role !== 'dispatcher';
      if (isUndecided) await this.store.pause(key, owner, { seconds: REFUSAL_PAUSE_SECONDS, isAmbiguous: true });
      else await this.store.release(key, owner);
      return current === null ? failure : { kind: 'token', token: current, isNew: false };
    } catch (error) {
      await this.store.release(key, owner).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Attributes an ambiguous refusal. Our credentials are at fault if another taxpayer that logged in within 24 hours is
   * refused too, or if only this taxpayer logged in. The taxpayer is at fault if another one is accepted, or if it
   * never logged in.
   */
  private async attributeRefusal(key: TokenKey, errors: readonly AuthorityError[]): Promise<LoginFailure> {
    const { isRecent, other, isFresh } = await this.store.findRecentLogins(key, REFUSAL_PAUSE_SECONDS);
    const notAppointed: LoginFailure = { kind: 'not-appointed', errors };
    if (this.configuration.role !== 'dispatcher') return isRecent ? LOGIN_AMBIGUOUS : notAppointed;
    if (other !== null && isFresh && !isRecent) {
      this.recordLogin(key.environment, true, notAppointed);
      return notAppointed;
    }
    if (other !== null) return this.compareWithOther(key, { other, isRecent, notAppointed });
    if (isRecent) return this.recordClientRefusal(key.environment);
    this.logger.error(describeSuspicion(key.environment));
    return notAppointed;
  }

  private async compareWithOther(
    key: TokenKey,
    { other, isRecent, notAppointed }: { other: Taxpayer; isRecent: boolean; notAppointed: LoginFailure },
  ): Promise<LoginFailure> {
    const comparison = await this.tryLogin(this.toTokenKey(key.environment, other));
    if (isClientRefusal(comparison)) return this.recordClientRefusal(key.environment);
    // If the comparison received no response, only a first login counts as not appointed.
    return isRecent && isTemporaryFailure(comparison) ? comparison : notAppointed;
  }

  private async tryLogin(key: TokenKey, slot?: () => Promise<CallSlot<'login'>>): Promise<LoginResult> {
    const owner = randomUUID();
    const { version } = await this.store.read(key);
    const isOurs = await this.store.claim(key, { owner, seconds: LOGIN_LEASE_SECONDS }, version);
    try {
      const outcome = await this.logIn(key, slot);
      if (isOurs) await this.storeResult(key, owner, outcome);
      return outcome;
    } catch (error) {
      await this.store.release(key, owner).catch(() => undefined);
      throw error;
    }
  }

  private async storeResult(key: TokenKey, owner: string, outcome: LoginResult): Promise<void> {
    if (outcome.kind === 'token') await this.store.store(key, owner, outcome);
    else if (outcome.kind !== 'not-appointed') await this.store.release(key, owner);
    else await this.store.pause(key, owner, { seconds: REFUSAL_PAUSE_SECONDS, isAmbiguous: false });
  }

  private async logIn(key: TokenKey, reserved?: () => Promise<CallSlot<'login'>>): Promise<LoginResult> {
    const reserve = reserved ?? (() => this.budget.reserveWithinShare(key, 'login', LOGIN_SLOT_WAIT_MS));
    const slot = await reserve();
    if (!(slot instanceof CallSlot)) return slot ?? this.explainNoLogin(key.environment);
    await slot.ready();
    const settings = getAuthoritySettings(this.configuration, key.environment);
    const login = buildLogin(key.environment, settings, LOGIN_DEADLINE_MS, key.onBehalfOf);
    const ending = await this.transport.request(login);
    const outcome = classifyLogin(ending);
    await this.budget.recordOutcome(slot, ending, outcome.kind);
    await this.report(key, outcome);
    return outcome;
  }

  private async explainNoLogin(environment: Environment): Promise<LoginFailure> {
    const reason = await this.budget.findBlockReason(environment, 'login');
    if (reason === 'client_refused') return CLIENT_REFUSED;
    return reason === 'authority_unavailable' ? LOGINS_FAIL : LOGINS_BUSY;
  }

  private async report({ environment, tenantId }: TokenKey, outcome: LoginResult): Promise<void> {
    if (outcome.kind === 'client-refused') {
      await this.recordClientRefusal(environment);
      return;
    }
    const isAccepted = outcome.kind === 'token' || outcome.kind === 'not-appointed' ? true : null;
    this.recordLogin(environment, isAccepted, outcome);
    if (outcome.kind !== 'token') {
      const msg = `Login in ${environment}: ${outcome.kind} (${describeLoginFailure(outcome)})`;
      this.logger.warn({ msg, tenantId });
    } else if (await this.budget.endRefusal(environment)) {
      this.logger.log(`The authority accepts our client id and secret in ${environment} again`);
    }
  }

  private recordLogin(environment: Environment, isAccepted: boolean | null, outcome: LoginResult): void {
    const result = outcome.kind === 'token' ? 'accepted' : `${outcome.kind} (${describeLoginFailure(outcome)})`;
    this.logins[environment] = { at: new Date().toISOString(), isAccepted, result };
  }

  /** Blocks all logins, because each would fail and use up the login budget that a corrected secret needs. */
  private async recordClientRefusal(environment: Environment): Promise<LoginFailure> {
    const prefix = `AUTHORITY_${environment.toUpperCase()}`;
    this.logger.error(
      `The authority refuses our client id or secret in ${environment}: no document is sent for organisations whose token ` +
        `has expired. Correct ${prefix}_CLIENT_ID and ${prefix}_CLIENT_SECRET and restart; a login probes every 10 s.`,
    );
    this.recordLogin(environment, false, CLIENT_REFUSED);
    await this.budget.refuseLogins(environment);
    return CLIENT_REFUSED;
  }
}

function buildRefusal(isAmbiguous: boolean): LoginFailure {
  return isAmbiguous ? LOGIN_AMBIGUOUS : RECENTLY_REFUSED;
}

function isClientRefusal({ kind }: LoginResult): boolean {
  return kind === 'client-refused' || kind === 'login-doubted';
}

function isTemporaryFailure(
  outcome: LoginResult,
): outcome is Extract<LoginResult, { kind: 'throttled' | 'unavailable' }> {
  return outcome.kind === 'throttled' || outcome.kind === 'unavailable';
}

function describeSuspicion(environment: Environment): string {
  return (
    `A login in ${environment} was refused like one with a wrong client id or secret, and no login within 24 ` +
    `hours shows the cause. The organisation waits as not_appointed. Compare AUTHORITY_${environment.toUpperCase()}_CLIENT_ID and _CLIENT_SECRET.`
  );
}

async function beforeDeadline(obtaining: Promise<TokenOutcome>, limits: WaitLimits): Promise<TokenOutcome> {
  const ending = new AbortController();
  const signals = limits.signal === undefined ? [ending.signal] : [ending.signal, limits.signal];
  const remainingMs = Math.max(0, limits.deadlineAt - performance.now());
  const giveUp = wait(remainingMs, DEADLINE_PASSED, { signal: AbortSignal.any(signals) }).catch(() => DEADLINE_PASSED);
  try {
    return await Promise.race([obtaining, giveUp]);
  } finally {
    ending.abort();
    // Prevents an unhandled rejection if the caller has stopped waiting.
    obtaining.catch(() => undefined);
  }
}

const DEADLINE_PASSED: LoginFailure = {
  kind: 'unavailable',
  cause: 'not-sent',
  reason: 'no token before the deadline',
  retryAfterSeconds: null,
};
