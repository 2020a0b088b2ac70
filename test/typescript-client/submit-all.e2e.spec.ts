import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import {
  EInvoiceError,
  type Run,
  type RunStore,
  SubmitAllError,
  type SubmitDocument,
} from '../../clients/typescript/src/index.js';
import { CreditLedger } from '../../src/credits/credit-ledger.js';
import { expectConsistentCredits } from '../support/audit.js';
import { accept, createKey, createTenant, readBalance } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import type { TestTenant } from '../support/tenants.js';
import { connect, countAttempts, invoices, MapStore, startFileProxy, TestClock, thrownBy } from './harness.js';

const service = await startFileService({ environments: ['sandbox', 'production'] });
const proxy = await startFileProxy(service);
afterEach(() => expectConsistentCredits(service.owner));

const CREDITS = 1_000;
const list = (documents: SubmitDocument[]) => ({ submission_type: 'non-consolidated' as const, documents });

type Memory = 'a store' | 'the keys alone';
const MEMORIES: Memory[] = ['a store', 'the keys alone'];

/** Returns the same run on every call. */
function remember(memory: Memory, store: RunStore = new MapStore()): Run {
  const settings = { runId: `run-${randomUUID()}`, documentsPerRequest: 5 };
  return memory === 'a store' ? { ...settings, store } : { ...settings, startedAt: new Date() };
}

/** Asserts how often each document was submitted and that there are no others. */
async function expectSubmitted(tenant: TestTenant, documents: readonly SubmitDocument[], times = 1): Promise<void> {
  const expected = documents.map(({ referenceId }) => [referenceId, times]);
  expect(await countAttempts(service, tenant)).toEqual(new Map(expected as [string, number][]));
  expect(await readBalance(service, tenant)).toBe(CREDITS - documents.length * times);
}

it('submitAll submits 230 documents in three batches, in order', async () => {
  const tenant = await createTenant(service, { credits: CREDITS });
  const documents = invoices(230);
  const batches = await connect(service, tenant).submitAll(list(documents), {
    runId: 'january',
    startedAt: new Date(),
  });
  expect(batches.map((batch) => batch.documents.length)).toEqual([100, 100, 30]);
  expect(batches.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['january.1', 'january.2', 'january.3']);
  const submitted = batches.flatMap((batch) => batch.documents.map(({ referenceId }) => referenceId));
  expect(submitted).toEqual(documents.map(({ referenceId }) => referenceId));
  await expectSubmitted(tenant, documents);
});

describe.each(MEMORIES)('repeated run with %s', (memory) => {
  it('returns the same batches without a charge', async () => {
    const tenant = await createTenant(service, { credits: CREDITS });
    const documents = invoices(12);
    const run = remember(memory);
    const first = await connect(service, tenant).submitAll(list(documents), run);
    expect(await connect(service, tenant).submitAll(list(documents), run)).toEqual(first);
    await expectSubmitted(tenant, documents);
  });

  it('resumes after a request with an unknown outcome, with the same key', async () => {
    const tenant = await createTenant(service, { credits: CREDITS });
    const documents = invoices(12);
    const run = remember(memory);
    const client = connect(proxy, tenant, { attemptsMax: 1 });
    await client.submitAll(list(documents.slice(0, 5)), run);
    // Without a store, the first request is repeated.
    if (memory === 'the keys alone') proxy.plan('none');
    proxy.plan('cut');
    const error = await thrownBy(SubmitAllError, client.submitAll(list(documents), run));
    expect(error).toMatchObject({ code: 'response_lost', isOutcomeUnknown: true });
    const batches = await client.submitAll(list(documents), run);
    expect(batches.map((batch) => batch.documents.length)).toEqual([5, 5, 2]);
    await expectSubmitted(tenant, documents);
  });

  it('submits a delayed request of a crashed client only once', async () => {
    const tenant = await createTenant(service, { credits: CREDITS });
    const documents = invoices(5);
    const run = remember(memory);
    const client = connect(proxy, tenant, { attemptsMax: 1 });
    proxy.plan('late');
    await thrownBy(SubmitAllError, client.submitAll(list(documents), run));
    await client.submitAll(list(documents), run);
    expect(await proxy.deliverLate()).toMatchObject([{ status: 200 }]);
    await expectSubmitted(tenant, documents);
  });

  it('stops at the first error and resumes after the correction', async () => {
    const tenant = await createTenant(service, { credits: CREDITS });
    const documents = invoices(15);
    const wrong = documents.with(7, { ...documents[7], document_date: '2026-02-30' });
    const run = remember(memory);
    const client = connect(service, tenant);
    const error = await thrownBy(SubmitAllError, client.submitAll(list(wrong), run));
    expect(error).toMatchObject({ code: 'validation_failed', firstIndex: 5, documents: wrong.slice(5, 10) });
    expect(error.accepted.flatMap((batch) => batch.documents)).toHaveLength(5);
    await expectSubmitted(tenant, documents.slice(0, 5));
    const corrected = documents.toSpliced(7, 1);
    await client.submitAll(list(corrected), run);
    await expectSubmitted(tenant, corrected);
  });

  it('resumes with the same key after credits are bought', async () => {
    const tenant = await createTenant(service, { credits: 7 });
    const documents = invoices(10);
    const run = remember(memory);
    const client = connect(service, tenant);
    const error = await thrownBy(SubmitAllError, client.submitAll(list(documents), run));
    expect(error).toMatchObject({
      code: 'insufficient_credits',
      body: { shortBy: 3 },
      idempotencyKey: `${run.runId}.2`,
    });
    await new CreditLedger(service.owner).grant({ tenantId: tenant.tenantId, credits: 3 });
    await client.submitAll(list(documents), run);
    expect(await countAttempts(service, tenant)).toEqual(new Map(documents.map(({ referenceId }) => [referenceId, 1])));
    expect(await readBalance(service, tenant)).toBe(0);
  });

  // Every document ends as Invalid, so that only the run prevents a second submission.
  const CHANGES: [title: string, change: (documents: SubmitDocument[]) => SubmitDocument[]][] = [
    ['a document more at the beginning', (documents) => [...invoices(1), ...documents]],
    ['a document fewer at the beginning', (documents) => documents.slice(1)],
    ['another order', (documents) => documents.toReversed()],
    ['another amount', (documents) => documents.with(3, { ...documents[3], totalRoundingAmount: 0.01 })],
    ['a document more after the last', (documents) => [...documents, ...invoices(1)]],
  ];

  it.each(CHANGES)('sends no request if its list has %s', async (_, change) => {
    const tenant = await createTenant(service, { credits: CREDITS });
    const documents = invalidOnes(12);
    const run = remember(memory);
    const client = connect(service, tenant);
    await client.submitAll(list(documents), run);
    await service.settle();
    const error = await thrownBy(EInvoiceError, client.submitAll(list(change(documents)), run));
    expect(error.code).toBe('run_changed');
    await expectSubmitted(tenant, documents);
    await client.submitAll(list(documents), run);
    await expectSubmitted(tenant, documents);
  });

  it('accepts further documents if the last request was full', async () => {
    const tenant = await createTenant(service, { credits: CREDITS });
    const documents = invalidOnes(12);
    const run = remember(memory);
    await connect(service, tenant).submitAll(list(documents.slice(0, 10)), run);
    await service.settle();
    await connect(service, tenant).submitAll(list(documents), run);
    await expectSubmitted(tenant, documents);
  });

  it('does not repeat an unknown outcome after the service may have deleted the key', async () => {
    const tenant = await createTenant(service, { credits: CREDITS });
    const documents = invalidOnes(5);
    const run = remember(memory);
    const clock = new TestClock();
    const client = connect(proxy, tenant, { attemptsMax: 1, clock });
    proxy.plan('cut');
    await thrownBy(SubmitAllError, client.submitAll(list(documents), run));
    await service.settle();
    await outliveKeys(clock);
    const error = await thrownBy(SubmitAllError, client.submitAll(list(documents), run));
    expect(error).toMatchObject({ code: 'run_expired', isOutcomeUnknown: true });
    await expectSubmitted(tenant, documents);
  });

  it('submits the same list in production after the sandbox', async () => {
    const tenant = await createTenant(service, { credits: CREDITS });
    const production = { apiKey: await createKey(service, tenant.tenantId, 'production') };
    const documents = invoices(5);
    const run = remember(memory);
    const [sandbox] = await connect(service, tenant).submitAll(list(documents), run);
    // Both environments share one simulator, which would reject the same number with the same issue time.
    await service.settle();
    const [live] = await connect(service, production).submitAll(list(documents), run);
    expect(live.submissionBatchId).not.toBe(sandbox.submissionBatchId);
    await service.settle();
    await expectSubmitted(tenant, documents, 2);
  });

  it('remains in doubt if the API key is rejected in the meantime', async () => {
    const tenant = await createTenant(service, { credits: CREDITS });
    const documents = invalidOnes(5);
    const run = remember(memory);
    proxy.plan('cut');
    await thrownBy(SubmitAllError, connect(proxy, tenant, { attemptsMax: 1 }).submitAll(list(documents), run));
    await service.settle();
    const refused = await thrownBy(
      SubmitAllError,
      connect(service, { apiKey: 'guess' }).submitAll(list(documents), run),
    );
    expect(refused).toMatchObject({ code: 'api_key_invalid', isOutcomeUnknown: true });
    const changed = await thrownBy(SubmitAllError, connect(service, tenant).submitAll(list(documents.slice(1)), run));
    expect(changed.code).toBe('run_changed');
    await expectSubmitted(tenant, documents);
  });
});

describe('store', () => {
  it('keeps accepted requests after their idempotency keys expire', async () => {
    const tenant = await createTenant(service, { credits: CREDITS });
    const documents = invalidOnes(12);
    const run = remember('a store');
    const clock = new TestClock();
    const first = await connect(service, tenant, { clock }).submitAll(list(documents.slice(0, 5)), run);
    await service.settle();
    await outliveKeys(clock);
    const batches = await connect(service, tenant, { clock }).submitAll(list(documents), run);
    expect(batches).toMatchObject([first[0], {}, {}]);
    await expectSubmitted(tenant, documents);
  });

  it('that fails after an accepted request causes no second charge', async () => {
    const tenant = await createTenant(service, { credits: CREDITS });
    const documents = invalidOnes(5);
    const store = new MapStore();
    let writes = 0;
    const failing: RunStore = {
      get: (name) => store.get(name),
      set: (name, text) => {
        writes += 1;
        if (writes === 2) throw new Error('The disk is full');
        return store.set(name, text);
      },
    };
    const run = remember('a store', failing);
    await expect(connect(service, tenant).submitAll(list(documents), run)).rejects.toThrow('The disk is full');
    await service.settle();
    await connect(service, tenant).submitAll(list(documents), run);
    await expectSubmitted(tenant, documents);
  });

  it('with a truncated file is named in the error', async () => {
    const tenant = await createTenant(service, { credits: CREDITS });
    const store = new MapStore();
    const run = remember('a store', store);
    store.set(`sandbox.${run.runId}.1`, '{"digest":"');
    const error = await thrownBy(EInvoiceError, connect(service, tenant).submitAll(list(invoices(1)), run));
    expect(error).toMatchObject({ code: 'store_unreadable', message: expect.stringContaining(run.runId) });
    await expectSubmitted(tenant, []);
  });

  it('detects missing documents at the end of the list', async () => {
    const tenant = await createTenant(service, { credits: CREDITS });
    const documents = invoices(10);
    const run = remember('a store');
    await connect(service, tenant).submitAll(list(documents), run);
    const error = await thrownBy(EInvoiceError, connect(service, tenant).submitAll(list(documents.slice(0, 5)), run));
    expect(error.code).toBe('run_changed');
  });
});

describe('document list', () => {
  it('with a duplicate document is rejected before anything is sent', async () => {
    const tenant = await createTenant(service, { credits: CREDITS });
    const documents = invoices(12);
    const repeated = [...documents, { ...documents[2], referenceId: ` ${documents[2].referenceId}` }];
    const error = await thrownBy(
      EInvoiceError,
      connect(service, tenant).submitAll(list(repeated), remember('a store')),
    );
    expect(error).toMatchObject({
      code: 'document_repeated',
      message: expect.stringContaining('documents[2] and documents[12]'),
    });
    await expectSubmitted(tenant, []);
  });

  it('with a document of another run stops at its request', async () => {
    const tenant = await createTenant(service, { credits: CREDITS });
    const documents = invoices(10);
    const { submissionBatchId } = await accept(service, tenant, [invoice({ referenceId: documents[6].referenceId })]);
    const error = await thrownBy(
      SubmitAllError,
      connect(service, tenant).submitAll(list(documents), remember('a store')),
    );
    expect(error).toMatchObject({ code: 'duplicate_document', firstIndex: 5, body: { submissionBatchId } });
    await expectSubmitted(tenant, [...documents.slice(0, 5), documents[6]]);
  });

  it('can be aborted between two requests and resumed later', async () => {
    const tenant = await createTenant(service, { credits: CREDITS });
    const documents = invoices(10);
    const run = remember('the keys alone');
    const controller = new AbortController();
    const stopping: typeof fetch = async (...parameters) => {
      const response = await fetch(...parameters);
      controller.abort(new Error('Enough'));
      return response;
    };
    const call = connect(service, tenant, { fetch: stopping }).submitAll(list(documents), {
      ...run,
      signal: controller.signal,
    });
    await expect(call).rejects.toThrow('Enough');
    expect((await countAttempts(service, tenant)).size).toBe(5);
    await connect(service, tenant).submitAll(list(documents), run);
    await expectSubmitted(tenant, documents);
  });
});

it.each([
  ['an empty runId', { runId: '', startedAt: new Date() }],
  ['a runId that is no header', { runId: 'januar y', startedAt: new Date() }],
  ['neither store nor startedAt', { runId: 'january' }],
  ['both store and startedAt', { runId: 'january', store: new MapStore(), startedAt: new Date() }],
  ['a beginning in the future', { runId: 'january', startedAt: new Date(Date.now() + 2 * 86_400_000) }],
  ['a beginning that is no date', { runId: 'january', startedAt: new Date('soon') }],
  ['101 documents per request', { runId: 'january', startedAt: new Date(), documentsPerRequest: 101 }],
  ['half a document per request', { runId: 'january', startedAt: new Date(), documentsPerRequest: 0.5 }],
])('submitAll rejects %s before anything is sent', async (_, run) => {
  const tenant = await createTenant(service, { credits: CREDITS });
  const call = connect(service, tenant).submitAll(list(invoices(1)), run as unknown as Run);
  await expect(call).rejects.toThrow(TypeError);
  await expectSubmitted(tenant, []);
});

function invalidOnes(count: number): SubmitDocument[] {
  return invoices(count).map((document) => ({
    ...document,
    referenceId: `SIM-INVALID-CV302-${document.referenceId}`,
  }));
}

/** Advances the clock by more than the 30 days for which the service keeps keys. */
async function outliveKeys(clock: TestClock): Promise<void> {
  const seconds = 31 * 86_400;
  await service.advance(seconds);
  clock.advance(seconds);
  await service.tick('housekeeping');
  const [{ count }] = await service.owner.query<{ count: number }[]>('SELECT count(*)::int FROM idempotency_record');
  expect(count).toBe(0);
}
