import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { computeGapSeconds } from '../../src/authority/call-limits.js';
import { accept, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import type { TestService } from '../support/service.js';
import { AuthorityProxy, type ProxyMode, type SeenCall } from './authority-proxy.js';
import { type DispatcherReplica, dispatcherSettings, startReplica } from './replica.js';

// Simulates a one-day outage of the authority. Two dispatchers share one breaker in the database. The clock is moved
// (R14).

const RATE_FACTOR = 2;
const PROBE_SECONDS = 10;
const TENANTS = 3;
const HOUR = 3_600;

let service: TestService;
let proxy: AuthorityProxy;
let replicas: DispatcherReplica[];
let tenants: TestTenant[];
/** Time by which the test has moved the clock. */
let movedSeconds = 0;
const batches: { tenant: TestTenant; submissionBatchId: string }[] = [];

beforeAll(async () => {
  const settings = { AUTHORITY_SANDBOX_RATE_FACTOR: String(RATE_FACTOR), AUTHORITY_DEADLINE_SECONDS: '1' };
  proxy = await AuthorityProxy.start({ environment: settings });
  proxy.now = () => Date.now() / 1_000 + movedSeconds;
  ({ service } = proxy);
  const replicaSettings = dispatcherSettings(service, proxy.url, settings);
  replicas = await Promise.all([startReplica(replicaSettings), startReplica(replicaSettings)]);
  tenants = await Promise.all(Array.from({ length: TENANTS }, () => createTenant(service)));
});

afterAll(async () => {
  for (const replica of replicas ?? []) await replica.close();
  await proxy?.stop();
});

async function advance(seconds: number): Promise<void> {
  movedSeconds += seconds;
  await service.advance(seconds);
}

/** Documents are accepted regardless of the state of the authority. */
function acceptOne(tenant: TestTenant): Promise<void> {
  return acceptMany(tenant, 1);
}

async function acceptMany(tenant: TestTenant, documents: number): Promise<void> {
  const sent = Array.from({ length: documents }, () => invoice());
  const { submissionBatchId } = await accept(service, tenant, sent);
  batches.push({ tenant, submissionBatchId });
}

/** Runs each loop of both replicas once, in parallel. */
async function round(loops: readonly string[] = ['submit', 'poll', 'reconcile']): Promise<number> {
  const done = replicas.map(async (replica) => {
    let count = 0;
    for (const loop of loops) count += await replica.tick(loop);
    return count;
  });
  return (await Promise.all(done)).reduce((total, count) => total + count, 0);
}

/**
 * Advances the clock in rounds of a third of the probe interval, so that an extra call would be noticed. The rounds do
 * not wait for slots in the future: a search takes a slot ten seconds away, so that it runs in every third round only.
 */
async function thirds(count: number, before: (step: number) => Promise<void> = () => Promise.resolve()): Promise<void> {
  for (let step = 0; step < count; step += 1) {
    await before(step);
    await round(['submit', 'poll']);
    if (step % 3 === 0) await replicas[(step / 3) % 2].tick('reconcile');
    await advance(3.4);
  }
}

async function countTransactions(condition: string): Promise<number> {
  const [{ count }] = await service.owner.query<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM document_transaction t WHERE ${condition}`,
  );
  return count;
}

async function readWaiting({ tenant, submissionBatchId }: (typeof batches)[number]): Promise<string | null> {
  return (await readStatus(service, tenant, submissionBatchId)).documents[0].waiting?.code ?? null;
}

function listCallsSince(api: SeenCall['api'], since: number): SeenCall[] {
  return proxy.listCalls(api).filter(({ atSeconds }) => atSeconds >= since);
}

/** Returns the shortest interval between two calls of one API. */
function shortestGap(api: SeenCall['api'], since: number): number {
  const calls = listCallsSince(api, since);
  return Math.min(Infinity, ...calls.slice(1).map((call, index) => call.atSeconds - calls[index].atSeconds));
}

describe('an outage of 24 hours', { timeout: 180_000 }, () => {
  let openedAt = 0;
  let inDoubt = 0;
  const endAt = 24 * HOUR;

  it('stops calls with documents after five consecutive failures', async () => {
    for (const tenant of tenants) await acceptOne(tenant);
    while ((await round()) > 0) await advance(1);
    await proxy.become('lost');
    await thirds(24, (step) => acceptOne(tenants[step % TENANTS]));
    openedAt = proxy.now();
    inDoubt = await countTransactions(`t.submission_status = 'Processing'`);
    expect(inDoubt).toBeGreaterThan(0);
    expect(inDoubt, 'five failures, and one that was under way in the other replica').toBeLessThanOrEqual(6);
  });

  it.each<[ProxyMode, number]>([
    ['failing', 60],
    ['refused', 30],
    ['silent', 9],
    ['lost', 30],
  ])(
    'costs at most one call per ten seconds for each API across all replicas while calls are %s',
    async (mode, steps) => {
      await proxy.become(mode);
      await advance(2 * PROBE_SECONDS);
      const since = proxy.now();
      await thirds(steps);
      for (const api of ['submit', 'search', 'getSubmission'] as const) {
        // A call arrives slightly after its slot, so the measured interval depends on the speed of the machine.
        expect(shortestGap(api, since), api).toBeGreaterThan(PROBE_SECONDS - 1);
      }
      if (mode !== 'refused') expect(listCallsSince('submit', since).length).toBeGreaterThanOrEqual(steps / 3 - 1);
      await acceptOne(tenants[0]);
      expect(await readWaiting(batches[batches.length - 1])).toBe('authority_unavailable');
    },
  );

  it('puts no document in doubt while the service accepts documents', async () => {
    const modes: ProxyMode[] = ['failing', 'refused', 'lost'];
    const began = movedSeconds;
    for (let step = 0; movedSeconds < endAt; step += 1) {
      if (step % 10 === 0) await proxy.become(modes[(step / 10) % modes.length]);
      if (step % 3 === 0) await acceptOne(tenants[(step / 3) % TENANTS]);
      await round();
      await advance((endAt - began) / 70);
    }
    expect(listCallsSince('submit', openedAt).every(({ referenceIds }) => referenceIds.length === 0)).toBe(true);
    expect(await countTransactions(`t.submission_status = 'Processing'`)).toBe(inDoubt);
    expect(await countTransactions('t.refusals > 0')).toBe(0);
    expect(await countTransactions(`t.submission_status = 'SubmitFailed'`)).toBe(0);
    expect(await readWaiting(batches[batches.length - 1])).toBe('authority_unavailable');
  });

  it('is followed by sends that use at least 95 % of the call budget', async () => {
    const calls = 60;
    for (const tenant of tenants) await acceptMany(tenant, calls / TENANTS);
    // One call for each document, to have enough calls to count.
    await service.owner.query(`UPDATE document_transaction SET call_size_max = 1 WHERE submission_status = 'Queued'`);
    await proxy.become('open');
    await advance(PROBE_SECONDS);
    const since = proxy.now();
    const tenantQueues = replicas.flatMap((replica) =>
      Array.from({ length: 4 }, async () => {
        while ((await countTransactions(`t.submission_status = 'Queued'`)) > 0) await replica.tick('submit');
      }),
    );
    await Promise.all(tenantQueues);
    // The tokens have expired. Logins have a separate budget.
    const lastLogin = Math.max(...listCallsSince('token', since).map(({ atSeconds }) => atSeconds));
    const sent = listCallsSince('submit', lastLogin);
    expect(sent.length).toBeGreaterThan(calls);
    const gap = computeGapSeconds('submit', RATE_FACTOR);
    const used = ((sent.length - 1) * gap) / (sent[sent.length - 1].atSeconds - sent[0].atSeconds);
    expect(used).toBeGreaterThanOrEqual(0.95);
  });

  it('loses and duplicates no document', async () => {
    for (let step = 0; step < 200; step += 1) {
      const done = await round();
      const open = await countTransactions(
        `t.submission_status IN ('Queued', 'Processing') OR t.authority_status = 'Submitted'`,
      );
      if (done === 0 && open === 0) break;
      await advance(PROBE_SECONDS);
    }
    const ended: string[] = [];
    for (const { tenant, submissionBatchId } of batches) {
      const { documents } = await readStatus(service, tenant, submissionBatchId);
      ended.push(...documents.map(({ referenceId, authorityStatus }) => `${referenceId} ${authorityStatus}`));
    }
    expect(ended.filter((document) => !document.endsWith(' Valid'))).toEqual([]);
    const taken = (await service.wireLog()).map(({ supplierTin, number }) => `${supplierTin}/${number}`);
    expect(taken).toHaveLength(ended.length);
    expect(new Set(taken).size).toBe(ended.length);
  });
});
