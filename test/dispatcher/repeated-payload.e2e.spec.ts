import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { AuthorityProxy } from './authority-proxy.js';

// The authority rejects a repeated payload with 422 and a Retry-After of usually up to ten minutes.

const LOOKUP_SECONDS = 61;
const RULE_SECONDS = 600;
const LOOKUPS_AFTER_REFUSAL = 17;
const HOUR_SECONDS = 3_600;
/** Lookups end 115 minutes after the first send. */
const LOOKUPS_UNTIL_OPERATOR = 115;
const NO_SEARCH = { searchLagMs: 100 * 3_600 * 1_000 };

let proxy: AuthorityProxy;
let tenant: TestTenant;
let clockSeconds = 0;
beforeAll(async () => {
  proxy = await AuthorityProxy.start();
  proxy.now = () => clockSeconds;
});
beforeEach(async () => {
  tenant = await createTenant(proxy.service);
  await proxy.service.control('settings', NO_SEARCH);
});
afterEach(async () => {
  proxy.headers.clear();
  await proxy.service.control('settings', { searchLagMs: 0 });
  await advance(RULE_SECONDS);
  await proxy.service.settle();
});
afterAll(() => proxy.stop());

async function advance(seconds: number): Promise<void> {
  clockSeconds += seconds;
  await proxy.service.advance(seconds);
}

/** Sends documents, drops the first response, and runs lookups until the authority rejects the second send. */
async function refusedAsRepeated(
  referenceIds: readonly string[],
): Promise<{ from: number; read(): Promise<readonly DocumentStatusDto[]> }> {
  const from = proxy.calls.length;
  await proxy.service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: 1 }]);
  const documents = referenceIds.map((referenceId) => invoice({ referenceId }));
  const { submissionBatchId } = await accept(proxy.service, tenant, documents);
  await proxy.service.tick('submit');
  for (let lookup = 1; lookup <= 2; lookup += 1) await lookUp();
  expect(proxy.listCalls('submit', from).map(({ status }) => status)).toEqual([0, 422]);
  return { from, read: async () => (await readStatus(proxy.service, tenant, submissionBatchId)).documents };
}

async function lookUp(): Promise<void> {
  await advance(LOOKUP_SECONDS);
  await proxy.service.tick('reconcile');
}

it('repeats a call after a 422 only after the Retry-After period', async () => {
  const { from } = await refusedAsRepeated([reference()]);
  for (let lookup = 1; lookup <= 12; lookup += 1) await lookUp();
  const [first, , third] = proxy.listCalls('submit', from);
  expect(third.atSeconds - first.atSeconds).toBeGreaterThanOrEqual(RULE_SECONDS);
  expect(third).toMatchObject({ status: 202, body: first.body });
});

it('delays a resend for a Retry-After of an hour', async () => {
  proxy.headers.set(422, { 'retry-after': String(HOUR_SECONDS) });
  const { from } = await refusedAsRepeated([reference()]);
  while (proxy.listCalls('submit', from).length < 3) {
    await lookUp();
    await proxy.service.tick('housekeeping');
  }
  const [, refused, third] = proxy.listCalls('submit', from);
  // Only the service's clock includes the duration of the test.
  expect(third.atSeconds - refused.atSeconds).toBeGreaterThan(HOUR_SECONDS - LOOKUP_SECONDS);
  expect(third.atSeconds - refused.atSeconds).toBeLessThan(HOUR_SECONDS + 2 * LOOKUP_SECONDS);
});

it.each([
  ['two hours', 2 * HOUR_SECONDS],
  ['thirty years', 999_999_999],
])('requires an operator decision on a call with a Retry-After of %s', async (_, seconds) => {
  proxy.headers.set(422, { 'retry-after': String(seconds) });
  const { from } = await refusedAsRepeated([reference()]);
  for (let lookup = 1; lookup <= LOOKUPS_UNTIL_OPERATOR; lookup += 1) {
    await lookUp();
    await proxy.service.tick('housekeeping');
  }
  expect(proxy.listCalls('submit', from)).toHaveLength(2);
  const [call] = await proxy.service.owner.query<object[]>(
    'SELECT state, sends, due_at FROM authority_submission WHERE tenant_id = $1',
    [tenant.tenantId],
  );
  expect(call).toEqual({ state: 'unknown', sends: 2, due_at: null });
  // A call that requires an operator's decision never settles.
  await proxy.service.owner.query('UPDATE authority_submission SET due_at = service_now() WHERE tenant_id = $1', [
    tenant.tenantId,
  ]);
});

it('respects the Retry-After across a restart', async () => {
  const { from } = await refusedAsRepeated([reference()]);
  await proxy.service.restart();
  for (let lookup = 1; lookup <= 6; lookup += 1) await lookUp();
  expect(proxy.listCalls('submit', from)).toHaveLength(2);
});

it('adopts a document found by a lookup before the Retry-After has passed', async () => {
  const { from, read } = await refusedAsRepeated([reference()]);
  await proxy.service.control('settings', { searchLagMs: 0 });
  await lookUp();
  await proxy.service.settle();
  expect(await read()).toMatchObject([{ authorityStatus: 'Valid' }]);
  expect(proxy.listCalls('submit', from)).toHaveLength(2);
});

it('keeps the Retry-After for documents of the call that a lookup misses', async () => {
  const { from } = await refusedAsRepeated([reference(), reference('SIM-REJECT-CF349')]);
  await proxy.service.control('settings', { searchLagMs: 0 });
  for (let lookup = 1; lookup <= 6; lookup += 1) await lookUp();
  expect(proxy.listCalls('submit', from)).toHaveLength(2);
  // The missing document is rejected when it is resent. The rejection takes effect after 15 minutes of lookups.
  await advance(RULE_SECONDS);
  for (let lookup = 1; lookup <= LOOKUPS_AFTER_REFUSAL; lookup += 1) await lookUp();
});
