import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { computeGapSeconds } from '../../src/authority/call-limits.js';
import type { Taxpayer, TokenOutcome } from '../../src/authority/tokens.js';
import { createApi } from '../../src/processes/api-application.js';
import { insertTenant, type TestTenant } from '../support/tenants.js';
import { AuthorityHarness, inTime, issueToken, LOGIN, type Replica, type ScriptedAuthority } from './support.js';

// Tests how much of the shared call budget API requests may use (docs/decisions/0084-shares-of-authority-calls.md),
// with two API processes. Calls are counted on arrival. The clock is moved.

let harness: AuthorityHarness;
let authority: ScriptedAuthority;
/** TINs of the received logins and TIN checks. */
let logins: string[];
let checks: string[];

beforeAll(async () => {
  harness = await AuthorityHarness.start();
  authority = await harness.serve((exchange) => {
    if (exchange.path === LOGIN) {
      logins.push(String(exchange.request.headers.onbehalfof));
      return issueToken(exchange);
    }
    checks.push(String(exchange.request.headers.authorization).split('-')[1]);
    return exchange.response.writeHead(200).end();
  });
});

afterAll(() => harness?.stop());

beforeEach(async () => {
  await harness.owner.query('TRUNCATE call_budget, authority_share, authority_token');
  [logins, checks] = [[], []];
});

async function readClockSeconds(): Promise<number> {
  const [{ now }] = await harness.owner.query<{ now: number }[]>(
    'SELECT extract(epoch FROM service_now())::float8 AS now',
  );
  return now;
}

/** Maximum number of calls of a share in this time. One is free, and the last may have been in progress. */
function countMost(seconds: number, gapSeconds: number): number {
  return Math.floor(seconds / gapSeconds) + 2;
}

// Waits for a turn take real time.
const TIMEOUT_MS = 90_000;

describe('TIN checks', { timeout: TIMEOUT_MS }, () => {
  const RATE_FACTOR = 2;
  const GAP_SECONDS = computeGapSeconds('validateTin', RATE_FACTOR);
  const STEPS = 12;
  // One call in four belongs to the victim.
  const GAPS_IN_STEP = 4;
  const WIDTH = 4;
  let apis: NestFastifyApplication[];
  let urls: string[];
  let victim: TestTenant & { tin: string };
  let greedy: TestTenant & { tin: string };
  let counter = 0;

  beforeAll(async () => {
    const settings = {
      LOG_LEVEL: 'silent',
      RATE_LIMIT_TIN_CHECKS_PER_MINUTE: '0',
      RATE_LIMIT_REQUESTS_PER_MINUTE: '0',
    };
    const configuration = harness.configuration({ authorityUrl: authority.url, rateFactor: RATE_FACTOR, settings });
    apis = [await createApi(configuration), await createApi(configuration)];
    for (const api of apis) await api.listen(0, '127.0.0.1');
    urls = await Promise.all(apis.map((api) => api.getUrl()));
  });
  afterAll(async () => {
    for (const api of apis ?? []) await api.close();
  });
  beforeEach(async () => {
    victim = await createTenant();
    greedy = await createTenant();
    // Fetches the tokens before a test begins.
    for (const tenant of [victim, greedy]) {
      expect((await check(tenant)).status).toBe(200);
      await harness.advance(60);
    }
    checks = [];
  });

  async function createTenant(): Promise<TestTenant & { tin: string }> {
    counter += 1;
    const tin = `C${10_000_000_000 + counter}`;
    return { tin, ...(await insertTenant(harness.owner, { profile: { tin } })) };
  }

  /** Checks a new TIN, alternating between the two processes. */
  async function check({ apiKey }: TestTenant): Promise<{ status: number; retryAfter: string | null; body: object }> {
    counter += 1;
    const path = `/api/v1/einvoice/validate-taxpayer-tin/C${20_000_000_000 + counter}?idType=BRN&idValue=201901234567`;
    const response = await fetch(urls[counter % urls.length] + path, { headers: { 'X-API-Key': apiKey } });
    const body = (await response.json()) as object;
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body };
  }

  /**
   * Makes one check per step for the victim while `attack` runs in every gap. Returns the number of the
   * victim's verdicts.
   */
  async function countVerdicts(attack: () => void): Promise<number> {
    let verdicts = 0;
    for (let gap = 0; gap < STEPS * GAPS_IN_STEP; gap += 1) {
      attack();
      if (gap % GAPS_IN_STEP === 0 && (await check(victim)).status === 200) verdicts += 1;
      await harness.advance(GAP_SECONDS);
    }
    return verdicts;
  }

  it('use at most half of the calls for one organisation and leave other organisations their share', async () => {
    const alone = await countVerdicts(() => undefined);
    const startedAt = await readClockSeconds();
    const pending: ReturnType<typeof check>[] = [];
    const during = await countVerdicts(() => {
      for (let index = 0; index < WIDTH; index += 1) pending.push(check(greedy));
    });
    const responses = await Promise.all(pending);
    const seconds = (await readClockSeconds()) - startedAt;
    expect(alone).toBe(STEPS);
    expect(during).toBeGreaterThanOrEqual(0.95 * alone);
    const taken = checks.filter((tin) => tin === greedy.tin).length;
    expect(taken).toBeLessThanOrEqual(countMost(seconds, 2 * GAP_SECONDS));
    expect(taken).toBeGreaterThan(STEPS);
    const refusals = responses.filter(({ status }) => status !== 200);
    expect(refusals.length).toBeGreaterThan(taken);
    expect(new Set(refusals.map(({ status }) => status))).toEqual(new Set([503]));
  });

  it('above the share are rejected with Retry-After and not stored', async () => {
    const responses = await Promise.all(Array.from({ length: WIDTH }, () => check(greedy)));
    const refusals = responses.filter(({ status }) => status !== 200);
    expect(refusals).toHaveLength(WIDTH - 2);
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({
        status: 503,
        retryAfter: expect.stringMatching(/^[1-5]$/),
        body: { code: 'call_budget', message: expect.stringMatching(/your organisation .* share .* Retry-After/i) },
      });
    }
    const [{ stored }] = await harness.owner.query<{ stored: number }[]>(
      'SELECT count(*)::int AS stored FROM taxpayer_check WHERE tenant_id = $1',
      [greedy.tenantId],
    );
    // The victim has already used one login for its token.
    expect(stored).toBe(3);
    await harness.advance(Number(refusals[0].retryAfter));
    expect((await check(greedy)).status).toBe(200);
  });
});

describe('logins', { timeout: TIMEOUT_MS }, () => {
  const RATE_FACTOR = 4;
  const GAP_SECONDS = computeGapSeconds('login', RATE_FACTOR);
  const STEPS = 32;
  let requests: Replica[];
  let dispatcher: Replica;
  let counter = 0;

  beforeAll(async () => {
    const options = { authorityUrl: authority.url, rateFactor: RATE_FACTOR };
    requests = await Promise.all([harness.replica(options), harness.replica(options)]);
    dispatcher = await harness.replica({ ...options, role: 'dispatcher' });
  });

  /** Logs in for a TIN without a token, as after a change of the profile. */
  function logIn({ tokens }: Replica, { tenantId }: Pick<Taxpayer, 'tenantId'>, name: string): Promise<TokenOutcome> {
    counter += 1;
    return tokens.getToken('sandbox', { tenantId, onBehalfOf: `${name}${counter}` }, inTime(30));
  }

  function countLogins(name: string): number {
    return logins.filter((onBehalfOf) => onBehalfOf.startsWith(name)).length;
  }

  /** Attacks in every step and returns the outcomes of other callers: a token or the reason for a rejection. */
  async function attack(
    greedy: readonly Taxpayer[],
    others: (step: number) => Promise<TokenOutcome> | null,
  ): Promise<{ seconds: number; outcomes: string[]; refusals: TokenOutcome[] }> {
    const startedAt = await readClockSeconds();
    const pending: Promise<TokenOutcome>[] = [];
    const outcomes: string[] = [];
    for (let step = 0; step < STEPS; step += 1) {
      for (const taxpayer of greedy) pending.push(...requests.map((replica) => logIn(replica, taxpayer, 'greedy')));
      const outcome = await others(step);
      if (outcome !== null) outcomes.push(outcome.kind);
      await harness.advance(GAP_SECONDS);
    }
    const refusals = (await Promise.all(pending)).filter(({ kind }) => kind !== 'token');
    return { seconds: (await readClockSeconds()) - startedAt, outcomes, refusals };
  }

  it('use at most a quarter of the login budget of two processes for one organisation', async () => {
    const greedy = await harness.taxpayer();
    const [neighbour, sender] = [await harness.taxpayer('C10000000010'), await harness.taxpayer('C10000000020')];
    const { seconds, outcomes, refusals } = await attack([greedy], (step) => {
      if (step % 8 === 0) return logIn(requests[0], neighbour, 'neighbour');
      return step % 8 === 4 ? logIn(dispatcher, sender, 'sender') : null;
    });
    expect(outcomes).toEqual(Array.from({ length: STEPS / 4 }, () => 'token'));
    expect(countLogins('greedy')).toBeLessThanOrEqual(countMost(seconds, 4 * GAP_SECONDS));
    expect(countLogins('greedy')).toBeGreaterThan(STEPS / 8);
    expect(refusals).toContainEqual({
      kind: 'throttled',
      api: 'login',
      retryAfterSeconds: expect.any(Number),
      isShareUsedUp: true,
    });
  });

  it('use at most half of the budget for the API requests of all organisations', async () => {
    const greedy = await Promise.all(Array.from({ length: 4 }, () => harness.taxpayer()));
    const sender = await harness.taxpayer('C10000000020');
    const { seconds, outcomes, refusals } = await attack(greedy, (step) =>
      step % 4 === 0 ? logIn(dispatcher, sender, 'sender') : null,
    );
    expect(outcomes).toEqual(Array.from({ length: STEPS / 4 }, () => 'token'));
    expect(countLogins('greedy')).toBeLessThanOrEqual(countMost(seconds, 2 * GAP_SECONDS));
    expect(countLogins('greedy')).toBeGreaterThan(0);
    expect(refusals).toContainEqual({ kind: 'throttled', api: 'login', retryAfterSeconds: expect.any(Number) });
  });
});

describe('slots of a share', () => {
  const RATE_FACTOR = 10;
  const QUESTIONS = 16;

  beforeAll(async () => {
    // The row holds the time of the next call.
    await harness.owner.query(`
      CREATE TABLE turn_log (holder text NOT NULL, api text NOT NULL, next_at timestamptz NOT NULL);
      CREATE FUNCTION log_turn() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO turn_log VALUES (NEW.holder, NEW.api, NEW.next_at);
        RETURN NULL;
      END $$;
      CREATE TRIGGER log_turn AFTER UPDATE ON authority_share FOR EACH ROW EXECUTE FUNCTION log_turn()`);
  });

  /** Shortest time between two turns. */
  async function readShortestSeconds(holder: string, api: string): Promise<number> {
    const [{ shortest }] = await harness.owner.query<{ shortest: number }[]>(
      `SELECT min(seconds)::float8 AS shortest FROM (
         SELECT extract(epoch FROM next_at - lag(next_at) OVER (ORDER BY next_at)) AS seconds
           FROM turn_log WHERE holder = $1 AND api = $2) t`,
      [holder, api],
    );
    return shortest;
  }

  it('are spaced by the size of the share across two processes', async () => {
    const requests = await Promise.all([1, 2].map(() => harness.replica({ rateFactor: RATE_FACTOR })));
    const callers = await Promise.all([1, 2].map(() => harness.taxpayer()));
    const reserve = async (index: number, api: 'validateTin' | 'login'): Promise<void> => {
      const { tenantId } = callers[index % 2];
      await requests[(index >> 1) % 2].budget.reserveWithinShare({ tenantId, environment: 'sandbox' }, api, 5_000);
    };
    for (let index = 0; index < QUESTIONS; index += 1) {
      // Two at a time, so that one waits.
      await Promise.all([reserve(2 * index, 'validateTin'), reserve(2 * index, 'validateTin')]);
      await Promise.all([reserve(0, 'login'), reserve(1, 'login'), harness.advance(0.5)]);
    }
    // Logins do not wait for their tenant's share, so one tenant asks continuously.
    for (let index = 0; index < 4 * QUESTIONS; index += 1) {
      await reserve(2 * index, 'login');
      await harness.advance(0.1);
    }
    const [tinGap, loginGap] = [computeGapSeconds('validateTin', RATE_FACTOR), computeGapSeconds('login', RATE_FACTOR)];
    expect(await readShortestSeconds(callers[0].tenantId, 'validateTin')).toBeCloseTo(2 * tinGap, 4);
    expect(await readShortestSeconds('all', 'login')).toBeCloseTo(2 * loginGap, 4);
    for (const { tenantId } of callers)
      expect(await readShortestSeconds(tenantId, 'login')).toBeGreaterThanOrEqual(4 * loginGap - 0.000_1);
  });
});
