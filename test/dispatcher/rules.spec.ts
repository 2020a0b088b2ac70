import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accept, createTenant, issue, statusOf, submit, type TestTenant } from '../support/client.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { AuthorityFront } from './authority-front.js';

// The rules by which a document reaches the authority at most once and a call is worth its place in the budget, as far as
// no other file here is about them (docs/reliability.md names each).

const GRACE_SECONDS = 61;
const LEASE_SECONDS = 10;
const LATE_MS = 1_500;
const NEXT_LOOK = `SELECT extract(epoch FROM next_look_at - service_now())::float8 AS seconds
                     FROM authority_submission WHERE state = 'accepted'`;

let front: AuthorityFront;
let tenant: TestTenant;
beforeEach(async () => {
  front = await AuthorityFront.start({
    simulator: { duplicateRules: false, unknownParents: 'accepted', lateAnswerMs: LATE_MS },
    environment: { AUTHORITY_DEADLINE_SECONDS: '8', DISPATCH_LEASE_SECONDS: String(LEASE_SECONDS) },
  });
  tenant = await createTenant(front.service);
});
afterEach(() => front.stop());

async function nextCall(api: string, fault: string): Promise<void> {
  await front.service.control('faults', [{ when: { api }, fault, times: 1 }]);
}

async function takenTimes(referenceId: string): Promise<number> {
  return (await front.service.wireLog()).filter(({ number }) => number === referenceId).length;
}

describe('one call', () => {
  it('never carries two documents of one number: its answer names them by that alone', async () => {
    const numbers = Array.from({ length: 4 }, () => reference());
    const parent = { referenceId: 'ELSEWHERE', authorityUuid: 'F9D425P6DS7D8IU0123456789A' };
    await accept(
      front.service,
      tenant,
      numbers.flatMap((referenceId) => [invoice({ referenceId }), creditNote(parent, { referenceId })]),
    );
    while ((await front.service.tick('submit')) > 0);
    const calls = front.of('submit').map(({ referenceIds }) => [...referenceIds].sort());
    expect(calls).toEqual([[...numbers].sort(), [...numbers].sort()]);
    await front.service.settle();
    const types = (await front.service.wireLog()).map(({ number, type }) => `${number}/${type}`);
    expect(new Set(types).size).toBe(2 * numbers.length);
  });

  it('goes to a lane with two calls under way only when no other lane waits', async () => {
    await accept(front.service, tenant, [invoice(), invoice()]);
    await front.service.owner.query(
      `INSERT INTO authority_submission
         (tenant_id, id, environment, state, owner, lease_until, sent_at, sends, created_at, updated_at)
       SELECT $1, gen_random_uuid(), 'sandbox', 'sending', gen_random_uuid(), now + interval '1 minute', now, 1, now, now
         FROM service_now() AS now, generate_series(1, 2)`,
      [tenant.tenantId],
    );
    // Its lane is made now: the other one has not been served for longer.
    const other = await createTenant(front.service);
    const referenceId = reference();
    await accept(front.service, other, [invoice({ referenceId })]);
    await front.service.tick('submit');
    await front.service.tick('submit');
    expect(front.of('submit').map(({ referenceIds }) => referenceIds.length)).toEqual([1, 2]);
    expect(front.of('submit')[0].referenceIds).toEqual([referenceId]);
  });
});

describe('what was sent', () => {
  it('is in the database, byte for byte, before the first byte leaves, and is never built anew once it may be there', async () => {
    await nextCall('submit', 'http-500-before');
    const referenceId = reference();
    await accept(front.service, tenant, [invoice({ referenceId })]);
    await front.service.tick('submit');
    const [{ body }] = front.of('submit');
    const stored = await front.service.owner.query<{ document: string; fixed: boolean }[]>(
      `SELECT encode(a.bytes, 'base64') AS document, a.may_have_arrived AS fixed FROM authority_document a
         JOIN document_transaction t ON t.tenant_id = a.tenant_id AND t.id = a.transaction_id WHERE t.reference_id = $1`,
      [referenceId],
    );
    expect(stored[0].fixed).toBe(true);
    expect((JSON.parse(body) as { documents: { document: string }[] }).documents[0].document).toBe(
      stored[0].document.replaceAll('\n', ''),
    );
    // Whatever would be built differently by now.
    await front.service.owner.query(`UPDATE tenant SET name = 'Another Name', phone = '+60399999999'`);
    await front.service.settle();
    expect(front.of('submit').map((call) => call.body)).toEqual([body, body]);
    expect(await takenTimes(referenceId)).toBe(1);
  });

  it('and was certainly not taken goes back to its old place in the queue, and is taken once', async () => {
    const referenceId = reference();
    await accept(front.service, tenant, [invoice({ referenceId })]);
    for (const fault of ['429-bare', '401', '401', '429-seconds']) await nextCall('submit', fault);
    await front.service.settle();
    expect(await takenTimes(referenceId)).toBe(1);
    expect(front.of('search'), 'nothing was in doubt').toHaveLength(0);
  });
});

describe('a process that was away for longer than its lease', () => {
  it('while its call was answered settles nothing: the call is looked up, and taken once', async () => {
    await nextCall('submit', 'late');
    const referenceId = reference();
    const { submissionBatchId } = await accept(front.service, tenant, [invoice({ referenceId })]);
    const away = front.service.tick('submit');
    await expect.poll(() => takenTimes(referenceId), { timeout: 5_000 }).toBe(1);
    await front.service.advance(LEASE_SECONDS + 1);
    await front.service.tick('reconcile');
    const states = (): Promise<{ state: string }[]> =>
      front.service.owner.query('SELECT state FROM authority_submission');
    expect(await states()).toEqual([{ state: 'unknown' }]);
    await away;
    expect(await states(), 'its answer came too late to be written').toEqual([{ state: 'unknown' }]);
    await front.service.advance(GRACE_SECONDS);
    await front.service.settle();
    expect((await statusOf(front.service, tenant, submissionBatchId)).status).toBe('Valid');
    expect(front.of('submit')).toHaveLength(1);
  });

  it('while it looked a call up decides nothing by what it saw: another look may have sent the call again', async () => {
    await front.service.control('settings', { searchLagMs: 10_000_000 });
    const referenceId = reference();
    await accept(front.service, tenant, [invoice({ referenceId })]);
    await nextCall('submit', 'http-500-before');
    await front.service.tick('submit');
    await front.service.advance(GRACE_SECONDS);
    await front.service.tick('reconcile');
    await front.service.advance(GRACE_SECONDS);
    const before = front.of('search').length;
    await nextCall('search', 'late');
    const away = front.service.tick('reconcile');
    const isClaimed = `SELECT looks FROM authority_submission WHERE looks = 2`;
    await expect.poll(() => front.service.owner.query<unknown[]>(isClaimed), { timeout: 5_000 }).toHaveLength(1);
    await front.service.advance(LEASE_SECONDS + 1);
    await nextCall('submit', 'drop-after');
    await front.service.tick('reconcile');
    expect(await takenTimes(referenceId)).toBe(1);
    await away;
    expect(front.of('search').length - before).toBe(2);
    expect(await takenTimes(referenceId)).toBe(1);
    await front.service.control('settings', { searchLagMs: 0 });
    await front.service.settle();
    expect(await takenTimes(referenceId)).toBe(1);
  });
});

describe('polling', () => {
  it('asks once for a submission, however many documents it has, and less often the longer it takes', async () => {
    await accept(
      front.service,
      tenant,
      Array.from({ length: 50 }, (_, index) => invoice({ referenceId: reference(`SIM-SLOW-${1_000 + index}`) })),
    );
    await front.service.tick('submit');
    const gaps: number[] = [];
    for (let look = 0; look < 9; look += 1) gaps.push(await nextLook());
    expect(front.of('getSubmission')).toHaveLength(9);
    expect(front.of('details')).toHaveLength(0);
    for (const [index, planned] of [3, 5, 10, 20, 40, 80, 160, 300, 300].entries()) {
      expect(gaps[index]).toBeGreaterThan(planned - 1);
      // With a fifth of jitter.
      expect(gaps[index]).toBeLessThanOrEqual(planned * 1.2 + 1);
    }
  });

  it('after Valid goes on at growing intervals until the 72 hours are over, and then ends (D17)', async () => {
    await front.service.control('settings', { tokenSeconds: 10 * 86_400 });
    await issue(front.service, tenant, invoice());
    const gaps: number[] = [];
    while ((await lookIsPlanned()) && gaps.length < 200) gaps.push(await nextLook());
    const hours = gaps.reduce((sum, gap) => sum + gap, 0) / 3_600;
    expect(hours).toBeGreaterThan(71);
    expect(hours).toBeLessThan(74);
    expect(gaps[0]).toBeLessThan(400);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(3_600 * 1.2 + 1);
    expect(gaps.length, 'calls for a submission in three days').toBeLessThanOrEqual(90);
    await front.service.advance(30 * 86_400);
    expect(await front.service.tick('poll')).toBe(0);
  });

  async function lookIsPlanned(): Promise<boolean> {
    return (await front.service.owner.query<unknown[]>(NEXT_LOOK)).length > 0;
  }

  /** Moves time to the next look, which must neither come a second earlier nor fail to come; returns how far. */
  async function nextLook(): Promise<number> {
    const [{ seconds }] = await front.service.owner.query<{ seconds: number }[]>(NEXT_LOOK);
    await front.service.advance(Math.max(0, seconds - 1));
    expect(await front.service.tick('poll')).toBe(0);
    await front.service.advance(Math.min(1, seconds) + 0.1);
    expect(await front.service.tick('poll')).toBe(1);
    return seconds;
  }
});

it('a refused document leaves its number free, one that is in doubt does not', async () => {
  await nextCall('submit', 'drop-after');
  const referenceId = reference();
  await accept(front.service, tenant, [invoice({ referenceId })]);
  await front.service.tick('submit');
  expect((await submit(front.service, tenant, [invoice({ referenceId })])).body).toMatchObject({
    code: 'duplicate_document',
    submissionStatus: 'Processing',
  });
});
