import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuthorityCall } from '../../src/authority/authority-calls.js';
import type { CallSlot } from '../../src/authority/call-budget.js';
import { type AuthorityApi, computeGapSeconds, computeLateSecondsMax } from '../../src/authority/call-limits.js';
import type { Taxpayer } from '../../src/authority/tokens.js';
import { type Simulator, startSimulator } from '../../simulator/simulator.js';
import {
  AuthorityHarness,
  type Handler,
  issueToken,
  json,
  LOGIN,
  type Replica,
  type ScriptedAuthority,
} from '../authority/support.js';
import { controlSimulator } from '../support/processes.js';
import { until } from '../support/until.js';

// Tests the call budget of one client id across four replicas, each with its own pool on one PostgreSQL
// server (docs/rules.md#commands-and-settings).

const REPLICAS = 4;

let harness: AuthorityHarness;
let taxpayer: Taxpayer;

beforeAll(async () => {
  harness = await AuthorityHarness.start();
  taxpayer = await harness.taxpayer();
  await logInstants();
});
afterAll(() => harness?.stop());
beforeEach(() => harness.owner.query('TRUNCATE call_budget, authority_token, slot_log'));

function replicas(options: { authorityUrl?: string; rateFactor: number }): Promise<Replica[]> {
  return Promise.all(Array.from({ length: REPLICAS }, () => harness.replica({ ...options, role: 'dispatcher' })));
}

/** Records the time of every slot that the database grants. The row holds the time of the next slot. */
async function logInstants(): Promise<void> {
  await harness.owner.query(`
    CREATE TABLE slot_log (api text NOT NULL, at timestamptz NOT NULL);
    GRANT INSERT ON slot_log TO einvoice_dispatcher;
    CREATE FUNCTION log_slot() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' OR NEW.next_at <> OLD.next_at THEN INSERT INTO slot_log VALUES (NEW.api, NEW.next_at); END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER log_slot AFTER INSERT OR UPDATE ON call_budget FOR EACH ROW EXECUTE FUNCTION log_slot()`);
}

/** Database times of all slots of an API, in seconds and in order. */
async function readInstants(api: AuthorityApi): Promise<number[]> {
  const rows = await harness.owner.query<{ at: number }[]>(
    'SELECT extract(epoch FROM at)::float8 AS at FROM slot_log WHERE api = $1 ORDER BY at',
    [api],
  );
  return rows.map(({ at }) => at);
}

/** Returns the maximum number of slots in any window of this length. */
function mostWithin(instants: readonly number[], seconds: number): number {
  let first = 0;
  return Math.max(
    ...instants.map((at, index) => {
      while (instants[first] <= at - seconds) first += 1;
      return index - first + 1;
    }),
  );
}

async function reserveSlot<Api extends AuthorityApi>(replica: Replica, api: Api): Promise<CallSlot<Api>> {
  const slot = await replica.budget.reserve('sandbox', api, 5_000);
  if (slot === null) throw new Error('There was no slot');
  return slot;
}

async function call<Api extends AuthorityApi>(replica: Replica, api: Api): Promise<AuthorityCall<Api>> {
  return { taxpayer, slot: await reserveSlot(replica, api) };
}

describe('four replicas under constant load', () => {
  // Six seconds at ten times the published limit allow 100 calls.
  const RATE_FACTOR = 10;
  const WINDOW_SECONDS = 6;
  const LIMIT = 100;
  const RUN_SECONDS = 7;
  const LANES = 4;

  it('use at least 97 % of the budget without exceeding any sliding window', async () => {
    const all = await replicas({ rateFactor: RATE_FACTOR });
    const endAt = performance.now() + RUN_SECONDS * 1_000;
    const racers = Array.from({ length: REPLICAS * LANES }, async (_, index) => {
      while (performance.now() < endAt)
        await (await all[index % REPLICAS].budget.reserve('sandbox', 'submit', 2_000))?.ready();
    });
    await Promise.all(racers);
    const instants = await readInstants('submit');
    const gap = computeGapSeconds('submit', RATE_FACTOR);
    expect(mostWithin(instants, WINDOW_SECONDS)).toBeLessThanOrEqual(LIMIT);
    const gaps = instants.slice(1).map((at, index) => at - instants[index]);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(gap - 0.000_01);
    const available = (instants[instants.length - 1] - instants[0]) / gap;
    expect(available).toBeGreaterThan(RUN_SECONDS / gap - 1);
    expect((instants.length - 1) / available).toBeGreaterThanOrEqual(0.97);
  });
});

describe('a call that missed its slot', () => {
  const RATE_FACTOR = 1;
  let authority: ScriptedAuthority;
  let login: Handler;
  let answer: Handler;
  let arrivals: number[];

  beforeAll(async () => {
    authority = await harness.serve((exchange) => {
      if (exchange.path === LOGIN) return login(exchange);
      arrivals.push(Date.now() / 1_000);
      return answer(exchange);
    });
  });
  beforeEach(() => {
    arrivals = [];
    login = issueToken;
    answer = ({ response }) => json(response, 404, {});
  });

  it('uses the next slot after a slow login', async () => {
    const [one] = await replicas({ authorityUrl: authority.url, rateFactor: RATE_FACTOR });
    const pending = await call(one, 'submit');
    const { slot } = pending;
    login = async (exchange) => {
      await until('the slot has passed', () => slot.isLate);
      issueToken(exchange);
    };
    answer = ({ response }) => json(response, 400, {});
    const outcome = await one.client.submit(pending, { body: Buffer.from('{}'), referenceIds: [] });
    expect(outcome.kind).toBe('refused');
    const instants = await readInstants('submit');
    expect(instants).toHaveLength(2);
    expect(arrivals).toHaveLength(1);
    // The log holds the time after each slot. The call used its second slot.
    expect(arrivals[0]).toBeGreaterThanOrEqual(instants[1] - computeGapSeconds('submit', RATE_FACTOR) - 0.05);
  });

  it('is not made if the next slot is too far away', async () => {
    const [one] = await replicas({ authorityUrl: authority.url, rateFactor: RATE_FACTOR });
    const pending = await call(one, 'submit');
    await one.budget.block('sandbox', 'submit', 30, 'call_budget');
    login = async (exchange) => {
      await until('the slot has passed', () => pending.slot.isLate);
      issueToken(exchange);
    };
    const outcome = await one.client.submit(pending, { body: Buffer.from('{}'), referenceIds: [] });
    expect(outcome).toMatchObject({ kind: 'throttled', api: 'submit' });
    expect(arrivals).toEqual([]);
  });

  it('uses another slot for the retry after a 401', async () => {
    const [one] = await replicas({ authorityUrl: authority.url, rateFactor: RATE_FACTOR });
    const question = { tin: 'C1234567890', idType: 'BRN', idValue: '201901234567' } as const;
    await one.client.validateTin(await call(one, 'validateTin'), question);
    let refused: string | undefined;
    answer = ({ request, response }) => {
      refused ??= request.headers.authorization;
      json(response, request.headers.authorization === refused ? 401 : 404, {});
    };
    expect((await one.client.validateTin(await call(one, 'validateTin'), question)).kind).toBe('invalid');
    expect(arrivals).toHaveLength(3);
    expect(await readInstants('validateTin')).toHaveLength(3);
  });

  it.each(['submit', 'getSubmission', 'details', 'cancel', 'validateTin', 'search', 'login'] as const)(
    'keeps any sliding minute of %s calls within the limit despite arbitrary delays',
    (api) => {
      const limit = {
        submit: 100,
        getSubmission: 300,
        details: 125,
        cancel: 12,
        validateTin: 60,
        search: 12,
        login: 12,
      }[api];
      // Delays the first calls of a minute as long as possible, sends the others on time, and adds the same
      // network delay.
      const minute = 60 + 2 * computeLateSecondsMax(api, 1) - 0.001;
      expect(Math.floor(minute / computeGapSeconds(api, 1)) + 1).toBeLessThanOrEqual(limit);
    },
  );
});

describe('a 429 response', () => {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startSimulator({ settings: {} });
  });
  afterAll(() => simulator?.close());

  it.each([
    ['for a Retry-After in seconds', '429-seconds', 3],
    ['for a Retry-After with an HTTP date', '429-date', 3],
    ['for a minute without a Retry-After', '429-bare', 60],
  ])('pauses all replicas %s', async (_, fault, seconds) => {
    const all = await replicas({ authorityUrl: simulator.url, rateFactor: 0 });
    await controlSimulator(simulator.url, 'faults', [{ when: { api: 'getSubmission' }, fault, times: 1 }]);
    const outcome = await all[0].client.getSubmission(await call(all[0], 'getSubmission'), 'SUBMISSION-1');
    expect(outcome.kind).toBe('throttled');
    const reserved = (): Promise<(CallSlot | null)[]> =>
      Promise.all(all.map(({ budget }) => budget.reserve('sandbox', 'getSubmission', 0)));
    expect(await reserved()).toEqual(all.map(() => null));
    await harness.advance(seconds - 1.5);
    expect(await reserved()).toEqual(all.map(() => null));
    await harness.advance(1.5);
    expect((await reserved()).every((slot) => slot !== null)).toBe(true);
    expect(await all[1].client.getSubmission(await call(all[1], 'getSubmission'), 'SUBMISSION-1')).toMatchObject({
      kind: 'not-yet',
    });
  });
});
