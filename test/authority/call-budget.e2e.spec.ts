import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CallSlot } from '../../src/authority/call-budget.js';
import { computeGapSeconds } from '../../src/authority/call-limits.js';
import type { Ending } from '../../src/authority/ending.js';
import { stopClock } from '../support/service.js';
import { AuthorityHarness, type Replica } from './support.js';

let harness: AuthorityHarness;
let limited: Replica[];
let unlimited: Replica;

beforeAll(async () => {
  harness = await AuthorityHarness.start();
  await stopClock(harness.owner);
  const roles = ['app', 'dispatcher', 'dispatcher', 'dispatcher'] as const;
  limited = await Promise.all(roles.map((role) => harness.replica({ role, rateFactor: 1 })));
  unlimited = await harness.replica({ role: 'dispatcher' });
});

afterAll(() => harness?.stop());

beforeEach(async () => {
  await harness.owner.query('TRUNCATE call_budget');
});

interface BudgetState {
  readonly blockedSeconds: number;
  readonly reason: string | null;
  readonly since: Date | null;
  readonly failures: number;
  readonly writes: string;
}

async function readState(api: string): Promise<BudgetState | undefined> {
  const [row] = await harness.owner.query<BudgetState[]>(
    `SELECT extract(epoch FROM blocked_until - service_now())::float8 AS "blockedSeconds", blocked_reason AS reason,
            blocked_since AS since, failures, xmin::text AS writes FROM call_budget WHERE api = $1`,
    [api],
  );
  return row;
}

function buildResponse(status: number, headers: Record<string, string> = {}): Ending {
  return { kind: 'response', status, headers, body: null, text: '', correlationId: null };
}

async function reserved(replica: Replica): Promise<CallSlot<'submit'>> {
  const slot = await replica.budget.reserve('sandbox', 'submit', 60_000);
  if (slot === null) throw new Error('There was no slot');
  return slot;
}

function reservedAtOnce(): Promise<CallSlot | null> {
  return unlimited.budget.reserve('sandbox', 'submit', 0);
}

async function failTimes(times: number): Promise<void> {
  for (let call = 0; call < times; call += 1) await unlimited.budget.recordFailure('sandbox', 'submit');
}

/** Outlasts every backoff. */
async function waitOutBackoff(): Promise<void> {
  await harness.advance(11);
}

describe('CallBudget.reserve', () => {
  it('spaces the slots of all replicas evenly from the first use', async () => {
    const gapMs = computeGapSeconds('submit', 1) * 1000;
    const wishes = Array.from({ length: 40 }, (_, index) => limited[index % limited.length]);
    const waits = await Promise.all(wishes.map(async (replica) => (await reserved(replica)).waitMs));
    const [row] = await harness.owner.query<{ count: number; ahead: number }[]>(
      `SELECT count(*)::int AS count, max(extract(epoch FROM next_at - service_now()))::float8 AS ahead FROM call_budget`,
    );
    expect(row?.count).toBe(1);
    expect(row?.ahead).toBeCloseTo((wishes.length * gapMs) / 1000, 3);
    const sorted = waits.toSorted((a, b) => a - b);
    for (const [index, waitMs] of sorted.entries()) expect(waitMs).toBeCloseTo(index * gapMs, 0);
  });

  it('assigns each time to one slot only', async () => {
    await Promise.all(Array.from({ length: 30 }, (_, index) => reserved(limited[index % 4])));
    const before = await harness.owner.query<{ at: string }[]>('SELECT next_at::text AS at FROM call_budget');
    await reserved(limited[0]);
    const [{ gap } = { gap: 0 }] = await harness.owner.query<{ gap: number }[]>(
      'SELECT extract(epoch FROM next_at - $1::timestamptz)::float8 AS gap FROM call_budget',
      [before[0]?.at],
    );
    expect(gap).toBeCloseTo(computeGapSeconds('submit', 1), 3);
  });

  it('reserves no slot if none is free within the wait', async () => {
    const replica = limited[0];
    await replica.budget.reserve('sandbox', 'login', 0);
    const before = await readState('login');
    expect(await replica.budget.reserve('sandbox', 'login', 1_000)).toBeNull();
    expect(await readState('login')).toMatchObject({ writes: before?.writes });
    expect((await replica.budget.reserve('sandbox', 'login', 10_000))?.waitMs).toBeGreaterThan(1_000);
  });

  it('keeps a separate budget for each API', async () => {
    const replica = limited[0];
    expect((await replica.budget.reserve('sandbox', 'login', 0))?.waitMs).toBe(0);
    expect((await replica.budget.reserve('sandbox', 'cancel', 0))?.waitMs).toBe(0);
  });

  it('neither spaces calls nor writes to the database if there is no limit', async () => {
    for (let call = 0; call < 5; call += 1) expect((await reserved(unlimited)).waitMs).toBe(0);
    expect(await readState('submit')).toBeUndefined();
  });
});

describe('CallBudget.block', () => {
  it('stops all replicas until it ends, even replicas without a limit', async () => {
    await unlimited.budget.block('sandbox', 'submit', 30, 'call_budget');
    for (const { budget } of [...limited, unlimited])
      expect(await budget.reserve('sandbox', 'submit', 20_000)).toBeNull();
    expect((await reserved(unlimited)).waitMs).toBeGreaterThan(25_000);
    await harness.advance(31);
    expect((await reserved(unlimited)).waitMs).toBe(0);
  });

  it('keeps the longest block and the earliest start', async () => {
    await unlimited.budget.block('sandbox', 'submit', 30, 'call_budget');
    const first = await readState('submit');
    await unlimited.budget.block('sandbox', 'submit', 5, 'call_budget');
    expect((await readState('submit'))?.blockedSeconds).toBeGreaterThan(25);
    await unlimited.budget.block('sandbox', 'submit', 60, 'call_budget');
    const last = await readState('submit');
    expect(last?.blockedSeconds).toBeGreaterThan(55);
    expect(last?.since).toEqual(first?.since);
  });
});

describe('CallBudget during an outage', () => {
  it('allows one call per ten seconds across all replicas after five consecutive failures', async () => {
    await failTimes(5);
    await waitOutBackoff();
    for (let round = 0; round < 3; round += 1) {
      const slots = await Promise.all(
        [...limited, unlimited].map(({ budget }) => budget.reserve('sandbox', 'submit', 0)),
      );
      const given = slots.filter((slot) => slot !== null);
      expect(given).toHaveLength(1);
      expect(given[0]?.isProbe).toBe(true);
      await failTimes(1);
      await harness.advance(9);
      expect(await unlimited.budget.reserve('sandbox', 'submit', 0)).toBeNull();
      await waitOutBackoff();
    }
  });

  it('allows one call per ten seconds even without a limit', async () => {
    await failTimes(5);
    await waitOutBackoff();
    const slots = [await reservedAtOnce(), await reservedAtOnce(), await reservedAtOnce()];
    expect(slots.map((slot) => slot !== null)).toEqual([true, false, false]);
  });

  it('delays a call by at most ten seconds', async () => {
    await failTimes(40);
    const state = await readState('submit');
    expect(state).toMatchObject({ reason: 'authority_unavailable', failures: 40 });
    expect(state?.blockedSeconds).toBeLessThanOrEqual(10);
  });

  it('keeps the start of the outage after further failures', async () => {
    await failTimes(1);
    const first = await readState('submit');
    await waitOutBackoff();
    await failTimes(1);
    expect((await readState('submit'))?.since).toEqual(first?.since);
  });

  it('ends the outage for all replicas with the first successful probe', async () => {
    await failTimes(6);
    await waitOutBackoff();
    await unlimited.budget.recordOutcome(await reserved(unlimited), buildResponse(202), 'accepted');
    expect(await readState('submit')).toMatchObject({ failures: 0, reason: null, since: null });
    for (const { budget } of [unlimited, limited[0]]) {
      expect(await budget.reserve('sandbox', 'submit', 0)).toMatchObject({ waitMs: 0, isProbe: false });
    }
  });
});

describe('CallBudget.recordOutcome', () => {
  it('does not record a success outside an outage', async () => {
    await unlimited.budget.block('sandbox', 'submit', 0, 'call_budget');
    const before = await readState('submit');
    await unlimited.budget.recordOutcome(await reserved(unlimited), buildResponse(202), 'accepted');
    expect((await readState('submit'))?.writes).toBe(before?.writes);
  });

  it('keeps the block of a 429 when an earlier call succeeds later', async () => {
    await failTimes(1);
    await waitOutBackoff();
    const slot = await reserved(unlimited);
    await unlimited.budget.recordOutcome(slot, buildResponse(429, { 'retry-after': '40' }), 'throttled');
    await unlimited.budget.recordOutcome(slot, buildResponse(202), 'accepted');
    const state = await readState('submit');
    expect(state).toMatchObject({ reason: 'call_budget', failures: 0 });
    expect(state?.blockedSeconds).toBeGreaterThan(35);
  });

  it.each<[string, Ending, string, number]>([
    ['a refused connection', { kind: 'not-sent', reason: 'ECONNREFUSED', isGivenUp: false }, 'unavailable', 1],
    ['a lost response', { kind: 'no-response', reason: 'ECONNRESET', isGivenUp: false }, 'unknown', 1],
    ['a 500', buildResponse(500), 'unknown', 1],
    ['an error page of the gateway', buildResponse(403), 'unavailable', 1],
    ['an aborted call', { kind: 'no-response', reason: 'given up', isGivenUp: true }, 'unknown', 0],
    ['a rejection', buildResponse(400), 'refused', 0],
  ])('counts %s', async (_, ending, outcome, failures) => {
    await unlimited.budget.recordOutcome(await reserved(unlimited), ending, outcome);
    expect((await readState('submit'))?.failures ?? 0).toBe(failures);
  });

  it('blocks calls for the Retry-After of an unavailable authority', async () => {
    await unlimited.budget.recordOutcome(
      await reserved(unlimited),
      buildResponse(503, { 'retry-after': '120' }),
      'unknown',
    );
    expect((await readState('submit'))?.blockedSeconds).toBeGreaterThan(110);
  });
});

describe('CallSlot', () => {
  it('stops waiting when its signal aborts', async () => {
    await unlimited.budget.block('sandbox', 'submit', 50, 'call_budget');
    const abort = new AbortController();
    const waiting = (await reserved(unlimited)).ready(abort.signal);
    abort.abort();
    await expect(waiting).rejects.toThrow(/abort/i);
  });

  it('allows only one call', async () => {
    const slot = await reserved(unlimited);
    slot.take();
    expect(() => slot.take()).toThrow(/twice/);
  });
});
