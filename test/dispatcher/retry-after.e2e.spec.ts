import { beforeEach, expect, it } from 'vitest';
import { accept, cancel, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { AuthorityProxy, startFileProxy } from './authority-proxy.js';

const PAUSE_SECONDS = 600;
const LOOPS = ['submit', 'poll', 'reconcile', 'cancel'];

const proxy = await startFileProxy({
  simulator: { tokenSeconds: 86_400, validationDelayMs: 0, visibilityDelayMs: 0 },
});
let tenant: TestTenant;
beforeEach(async () => {
  proxy.headers.set(503, { 'retry-after': String(PAUSE_SECONDS) });
  tenant = await createTenant(proxy.service);
});

async function fault(api: string, name = 'http-503'): Promise<void> {
  await proxy.service.control('faults', [{ when: { api }, fault: name, times: 1 }]);
}

async function workFor(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 30) {
    await proxy.service.advance(30);
    for (const loop of LOOPS) while ((await proxy.service.tick(loop)) > 0);
  }
}

async function submitOne(): Promise<string> {
  const { submissionBatchId } = await accept(proxy.service, tenant, [invoice()]);
  return submissionBatchId;
}

async function requestCancellation(): Promise<void> {
  const batchId = await submitOne();
  await workFor(60);
  const [{ documentId }] = (await readStatus(proxy.service, tenant, batchId)).documents;
  await cancel(proxy.service, tenant, { documentId });
}

it.each<[string, Parameters<AuthorityProxy['listCalls']>[0], () => Promise<unknown>]>([
  ['a login', 'token', submitOne],
  ['a submit', 'submit', submitOne],
  ['a poll', 'getSubmission', submitOne],
  [
    'a search',
    'search',
    async () => {
      await submitOne();
      await fault('submit', 'drop-after');
    },
  ],
  ['a details call', 'details', () => accept(proxy.service, tenant, [invoice({ referenceId: 'SIM-INVALID-CV302-1' })])],
  ['a cancellation', 'cancel', requestCancellation],
])('repeats %s with the response 503 only after its Retry-After period', async (_, api, prepare) => {
  await prepare();
  await fault(api);
  const from = proxy.calls.length;
  await workFor(PAUSE_SECONDS - 30);
  expect(proxy.listCalls(api, from).map(({ status }) => status)).toEqual([503]);
  await workFor(PAUSE_SECONDS);
  expect(proxy.listCalls(api, from).length).toBeGreaterThan(1);
});
