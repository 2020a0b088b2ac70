import { beforeEach, describe, expect, it } from 'vitest';
import { accept, createTenant, issue, readStatus, submit, type TestTenant } from '../support/client.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { startFileProxy } from './authority-proxy.js';

// Rules that send a document to the authority at most once and save call budget, unless another file tests them
// (docs/reliability.md lists each).

const GRACE_SECONDS = 61;
const LEASE_SECONDS = 10;
const LATE_MS = 1_500;
const NEXT_POLL = `SELECT extract(epoch FROM due_at - service_now())::float8 AS seconds
                     FROM authority_submission WHERE state = 'accepted'`;

const proxy = await startFileProxy({
  simulator: { duplicateRules: false, unknownParents: 'accepted', lateAnswerMs: LATE_MS },
  environment: { AUTHORITY_DEADLINE_SECONDS: '8', DISPATCH_LEASE_SECONDS: String(LEASE_SECONDS) },
});
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await createTenant(proxy.service);
});

async function nextCall(api: string, fault: string): Promise<void> {
  await proxy.service.control('faults', [{ when: { api }, fault, times: 1 }]);
}

async function takenTimes(referenceId: string): Promise<number> {
  return (await proxy.service.wireLog()).filter(({ number }) => number === referenceId).length;
}

describe('a call', () => {
  it('never contains two documents with the same number', async () => {
    const numbers = Array.from({ length: 4 }, () => reference());
    const parent = { referenceId: 'ELSEWHERE', authorityUuid: 'F9D425P6DS7D8IU0123456789A' };
    await accept(
      proxy.service,
      tenant,
      numbers.flatMap((referenceId) => [invoice({ referenceId }), creditNote(parent, { referenceId })]),
    );
    while ((await proxy.service.tick('submit')) > 0);
    const calls = proxy.listCalls('submit').map(({ referenceIds }) => [...referenceIds].sort());
    expect(calls).toEqual([[...numbers].sort(), [...numbers].sort()]);
    await proxy.service.settle();
    const types = (await proxy.service.wireLog()).map(({ number, type }) => `${number}/${type}`);
    expect(new Set(types).size).toBe(2 * numbers.length);
  });

  it('is made for a tenant queue with two calls in progress only if no other queue has work', async () => {
    await accept(proxy.service, tenant, [invoice(), invoice()]);
    await proxy.service.owner.query(
      `INSERT INTO authority_submission
         (tenant_id, id, environment, state, owner, lease_until, sent_at, sends, created_at, updated_at)
       SELECT $1, gen_random_uuid(), 'sandbox', 'sending', gen_random_uuid(), now + interval '1 minute', now, 1, now, now
         FROM service_now() AS now, generate_series(1, 2)`,
      [tenant.tenantId],
    );
    // The tenant queue is created now, so that the other queue has waited longer.
    const other = await createTenant(proxy.service);
    const referenceId = reference();
    await accept(proxy.service, other, [invoice({ referenceId })]);
    await proxy.service.tick('submit');
    await proxy.service.tick('submit');
    expect(proxy.listCalls('submit').map(({ referenceIds }) => referenceIds.length)).toEqual([1, 2]);
    expect(proxy.listCalls('submit')[0].referenceIds).toEqual([referenceId]);
  });
});

describe('a sent document', () => {
  it('is stored with its exact bytes before the send and never rebuilt', async () => {
    await nextCall('submit', 'http-500-before');
    const referenceId = reference();
    await accept(proxy.service, tenant, [invoice({ referenceId })]);
    await proxy.service.tick('submit');
    const [{ body }] = proxy.listCalls('submit');
    const stored = await proxy.service.owner.query<{ document: string; fixed: boolean }[]>(
      `SELECT encode(a.bytes, 'base64') AS document, a.may_have_arrived AS fixed FROM authority_document a
         JOIN document_transaction t ON t.tenant_id = a.tenant_id AND t.id = a.transaction_id WHERE t.reference_id = $1`,
      [referenceId],
    );
    expect(stored[0].fixed).toBe(true);
    expect((JSON.parse(body) as { documents: { document: string }[] }).documents[0].document).toBe(
      stored[0].document.replaceAll('\n', ''),
    );
    // Changes the inputs of the build.
    await proxy.service.owner.query(`UPDATE tenant SET name = 'Another Name', phone = '+60399999999'`);
    await proxy.service.settle();
    expect(proxy.listCalls('submit').map((call) => call.body)).toEqual([body, body]);
    expect(await takenTimes(referenceId)).toBe(1);
  });

  it('returns to its old position if the authority certainly did not accept it', async () => {
    const referenceId = reference();
    await accept(proxy.service, tenant, [invoice({ referenceId })]);
    for (const fault of ['429-bare', '401', '401', '429-seconds']) await nextCall('submit', fault);
    await proxy.service.settle();
    expect(await takenTimes(referenceId)).toBe(1);
    expect(proxy.listCalls('search'), 'nothing was in doubt').toHaveLength(0);
  });
});

describe('a process that was paused for longer than its lease', () => {
  it('leaves its call to a lookup', async () => {
    await nextCall('submit', 'late');
    const referenceId = reference();
    const { submissionBatchId } = await accept(proxy.service, tenant, [invoice({ referenceId })]);
    const away = proxy.service.tick('submit');
    await expect.poll(() => takenTimes(referenceId)).toBe(1);
    await proxy.service.advance(LEASE_SECONDS + 1);
    await proxy.service.tick('reconcile');
    const states = (): Promise<{ state: string }[]> =>
      proxy.service.owner.query('SELECT state FROM authority_submission');
    expect(await states()).toEqual([{ state: 'unknown' }]);
    await away;
    expect(await states(), 'its answer came too late to be written').toEqual([{ state: 'unknown' }]);
    await proxy.service.advance(GRACE_SECONDS);
    await proxy.service.settle();
    expect((await readStatus(proxy.service, tenant, submissionBatchId)).status).toBe('Valid');
    expect(proxy.listCalls('submit')).toHaveLength(1);
  });

  it('does not decide a call by an outdated lookup', async () => {
    await proxy.service.control('settings', { searchLagMs: 10_000_000 });
    const referenceId = reference();
    await accept(proxy.service, tenant, [invoice({ referenceId })]);
    await nextCall('submit', 'http-500-before');
    await proxy.service.tick('submit');
    await proxy.service.advance(GRACE_SECONDS);
    await proxy.service.tick('reconcile');
    await proxy.service.advance(GRACE_SECONDS);
    const before = proxy.listCalls('search').length;
    await nextCall('search', 'late');
    const away = proxy.service.tick('reconcile');
    const isClaimed = `SELECT lookups FROM authority_submission WHERE lookups = 2`;
    await expect.poll(() => proxy.service.owner.query<unknown[]>(isClaimed)).toHaveLength(1);
    await proxy.service.advance(LEASE_SECONDS + 1);
    await nextCall('submit', 'drop-after');
    await proxy.service.tick('reconcile');
    expect(await takenTimes(referenceId)).toBe(1);
    await away;
    expect(proxy.listCalls('search').length - before).toBe(2);
    expect(await takenTimes(referenceId)).toBe(1);
    await proxy.service.control('settings', { searchLagMs: 0 });
    await proxy.service.settle();
    expect(await takenTimes(referenceId)).toBe(1);
  });
});

describe('the polls of a submission', () => {
  beforeEach(() => proxy.service.stopClock());

  it('read all documents with one call at growing intervals', async () => {
    await accept(
      proxy.service,
      tenant,
      Array.from({ length: 50 }, (_, index) => invoice({ referenceId: reference(`SIM-SLOW-${1_000 + index}`) })),
    );
    await proxy.service.tick('submit');
    const gaps: number[] = [];
    for (let look = 0; look < 9; look += 1) gaps.push(await readNextPoll());
    expect(proxy.listCalls('getSubmission')).toHaveLength(9);
    expect(proxy.listCalls('details')).toHaveLength(0);
    for (const [index, planned] of [3, 5, 10, 20, 40, 80, 160, 300, 300].entries()) {
      expect(gaps[index]).toBeGreaterThan(planned - 1);
      // The interval has a jitter of 20 %.
      expect(gaps[index]).toBeLessThanOrEqual(planned * 1.2 + 1);
    }
  });

  it('continue for 72 hours after Valid', async () => {
    await proxy.service.control('settings', { tokenSeconds: 10 * 86_400 });
    await issue(proxy.service, tenant, invoice());
    const gaps: number[] = [];
    while ((await isPollPlanned()) && gaps.length < 200) gaps.push(await readNextPoll());
    const hours = gaps.reduce((sum, gap) => sum + gap, 0) / 3_600;
    expect(hours).toBeGreaterThan(71);
    expect(hours).toBeLessThan(74);
    expect(gaps[0]).toBeLessThan(400);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(3_600 * 1.2 + 1);
    expect(gaps.length, 'calls for a submission in three days').toBeLessThanOrEqual(90);
    await proxy.service.advance(30 * 86_400);
    expect(await proxy.service.tick('poll')).toBe(0);
  });

  async function isPollPlanned(): Promise<boolean> {
    return (await proxy.service.owner.query<unknown[]>(NEXT_POLL)).length > 0;
  }

  /** Advances to the next poll, verifies that it is made on time, and returns the interval. */
  async function readNextPoll(): Promise<number> {
    const [{ seconds }] = await proxy.service.owner.query<{ seconds: number }[]>(NEXT_POLL);
    await proxy.service.advance(Math.max(0, seconds - 1));
    expect(await proxy.service.tick('poll')).toBe(0);
    await proxy.service.advance(Math.min(1, seconds) + 0.1);
    expect(await proxy.service.tick('poll')).toBe(1);
    return seconds;
  }
});

it('frees the number of a failed document and reserves that of a document in doubt', async () => {
  await nextCall('submit', 'drop-after');
  const referenceId = reference();
  await accept(proxy.service, tenant, [invoice({ referenceId })]);
  await proxy.service.tick('submit');
  expect((await submit(proxy.service, tenant, [invoice({ referenceId })])).body).toMatchObject({
    code: 'duplicate_document',
    submissionStatus: 'Processing',
  });
});
