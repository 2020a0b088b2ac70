import { randomUUID } from 'node:crypto';
import type { Piscina } from 'piscina';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SMALL_BODY_BYTES_MAX } from '../../src/http/large-bodies.js';
import { SubmitWorkers } from '../../src/submission/submit-workers.js';
import { type ApiResponse, createTenant, parsed, refused, submit } from '../support/client.js';
import { signUpInto } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { rawRequest } from '../support/raw-http.js';
import { until } from '../support/until.js';

// Worker threads process bodies over 256 KB (docs/decisions/0083-large-bodies-in-worker-threads.md).

const SUBMIT = '/api/v1/einvoice/submit';
const TIMEOUT_MS = 180_000;
const WAITING = 8;
const TASKS = new URL('../support/fixtures/worker-tasks.mjs', import.meta.url).pathname;

const service = await startFileService();
const tenant = await createTenant(service, { credits: 1_000 });
const browser = await signUpInto(service, tenant.tenantId, 'member');

function getPool(): Piscina {
  return Reflect.get(service.api.get(SubmitWorkers).threads, 'pool') as Piscina;
}

function send(text: string, { path = SUBMIT, key = randomUUID(), owner = tenant } = {}): Promise<ApiResponse> {
  const headers: [string, string][] = [
    ['X-API-Key', owner.apiKey],
    ['Content-Type', 'application/json'],
    ['idempotency-key', key],
  ];
  return rawRequest(service, { path, headers, body: text });
}

function sendByPage(text: string): Promise<ApiResponse> {
  const session = { Cookie: String(browser.cookie), 'X-CSRF-Token': String(browser.session?.csrfToken) };
  const headers = { ...session, 'Content-Type': 'application/json', 'idempotency-key': randomUUID() };
  const path = `/api/dashboard/organisations/${tenant.tenantId}/sandbox/submissions`;
  return rawRequest(service, { path, headers: Object.entries(headers), body: text });
}

function buildText(documents: number, lines: number, change: Record<string, unknown> = {}): string {
  const line = { description: 'x'.repeat(20), quantity: 1, unitPrice: 1, ...change };
  const lineItems = Array.from({ length: lines }, () => line);
  const all = Array.from({ length: documents }, () => invoice({ lineItems }));
  return JSON.stringify({ submission_type: 'non-consolidated', documents: all });
}

/** Counts the JSON characters that the event loop parses and serialises. */
async function countJson(work: () => Promise<ApiResponse>): Promise<{ characters: number; response: ApiResponse }> {
  const [parse, stringify] = [vi.spyOn(JSON, 'parse'), vi.spyOn(JSON, 'stringify')];
  onTestFinished(() => void [parse, stringify].map((spy) => spy.mockRestore()));
  const response = await work();
  const read = parse.mock.calls.map(([text]) => text.length);
  const written = stringify.mock.results.map(({ value }) => String(value).length);
  return { characters: [...read, ...written].reduce((sum, length) => sum + length, 0), response };
}

/** Blocks all threads until the returned function is called. */
async function blockThreads(): Promise<() => Promise<void>> {
  await send(buildText(80, 60), { path: `${SUBMIT}?dryRun=true` });
  const pool = getPool();
  const gate = new SharedArrayBuffer(8);
  const state = new Int32Array(gate);
  const tasks = Array.from({ length: pool.maxThreads }, () => pool.run(gate, { filename: TASKS, name: 'block' }));
  const ended = Promise.allSettled(tasks);
  await until('every thread is blocked', () => Atomics.load(state, 1) === pool.maxThreads);
  return async () => {
    Atomics.store(state, 0, 1);
    Atomics.notify(state, 0);
    await ended;
  };
}

describe('the event loop', { timeout: TIMEOUT_MS }, () => {
  it.each<[string, number, string, (text: string) => Promise<ApiResponse>]>([
    ['that is accepted', 200, buildText(80, 60), (text) => send(text)],
    ['in a dry run', 200, buildText(80, 60), (text) => send(text, { path: `${SUBMIT}?dryRun=true` })],
    ['that breaks rules', 400, buildText(100, 120, { quantity: -1 }), (text) => send(text)],
    ['that is no JSON', 400, buildText(80, 60).slice(1), (text) => send(text)],
    ['of documents that are built to know their size', 200, buildText(20, 425), (text) => send(text)],
    ['that is sent by a page', 200, buildText(80, 60), sendByPage],
  ])('does not process the text of a large body %s', async (_, status, text, sendIt) => {
    expect(text.length).toBeGreaterThan(SMALL_BODY_BYTES_MAX);
    const { characters, response } = await countJson(() => sendIt(text));
    expect(response.status, response.text.slice(0, 500)).toBe(status);
    // The event loop writes the rows, and the error response lists 500 problems.
    expect(characters).toBeLessThan(text.length / 2);
  });
});

describe('a large body', { timeout: TIMEOUT_MS }, () => {
  it.each([
    ['that is accepted', () => buildText(3, 2)],
    ['that breaks rules', () => buildText(3, 2, { quantity: 'x', unitPrice: -1 })],
    ['that is no JSON', () => buildText(3, 2).slice(1)],
  ])('has the same response as a small body %s', async (_, build) => {
    const text = build();
    const path = `${SUBMIT}?dryRun=true`;
    const [small, large] = [await send(text, { path }), await send(text.padEnd(SMALL_BODY_BYTES_MAX + 1), { path })];
    const withoutId = ({ status, text: body }: ApiResponse): unknown => ({ status, ...parsed(body), requestId: '' });
    expect(withoutId(large)).toEqual(withoutId(small));
  });

  it('does not delay small bodies while it waits for a thread', async () => {
    const openThreads = await blockThreads();
    let isAnswered = false;
    const large = send(buildText(80, 60)).finally(() => (isAnswered = true));
    await until('the large one waits', () => getPool().queueSize === 1);
    expect((await submit(service, tenant, [invoice()])).status).toBe(200);
    expect(isAnswered).toBe(false);
    await openThreads();
    expect((await large).status).toBe(200);
  });

  it('waits for one body of another organisation instead of all its bodies', async () => {
    const other = await createTenant(service);
    const openThreads = await blockThreads();
    const prepare = vi.spyOn(service.api.get(SubmitWorkers), 'prepare');
    onTestFinished(() => prepare.mockRestore());
    const path = `${SUBMIT}?dryRun=true`;
    const text = buildText(80, 60);
    let done = 0;
    const before = Array.from({ length: WAITING }, () => send(text, { path }).finally(() => (done += 1)));
    await until('they wait', () => prepare.mock.calls.length === WAITING);
    const after = send(text, { path, owner: other }).then(({ status }) => ({ status, doneBefore: done }));
    await until('it waits', () => prepare.mock.calls.length === WAITING + 1);
    await openThreads();
    const { status, doneBefore } = await after;
    expect(status).toBe(200);
    expect(doneBefore).toBeLessThan(WAITING / 2);
    expect(new Set((await Promise.all(before)).map((response) => response.status))).toEqual(new Set([200]));
  });

  it('is a 503 if it has no result after 20 seconds', async () => {
    const openThreads = await blockThreads();
    const startedAt = performance.now();
    const response = await send(buildText(80, 60));
    const seconds = (performance.now() - startedAt) / 1_000;
    await openThreads();
    expect([response.status, response.body.code]).toEqual([503, 'large_body_not_processed']);
    expect(seconds).toBeLessThan(40);
  });

  it('can be sent again after the 503 for a terminated thread', async () => {
    const owner = await createTenant(service, { credits: 100 });
    const openThreads = await blockThreads();
    const [text, key] = [buildText(80, 60), randomUUID()];
    const response = await refused(service, owner, async () => {
      const sent = send(text, { owner, key });
      await until('it waits for a thread', () => getPool().queueSize === 1);
      await getPool().destroy();
      return sent;
    });
    await openThreads();
    expect([response.status, response.body.code]).toEqual([503, 'large_body_not_processed']);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    const again = await send(text, { owner, key });
    expect(again.status, again.text.slice(0, 500)).toBe(200);
    expect(again.headers.get('x-credits-charged')).toBe('80');
  });
});

it('rejects bodies over 256 KB of operations other than submit', async () => {
  const cancel = JSON.stringify({ documentId: randomUUID() });
  const [largest, larger] = [SMALL_BODY_BYTES_MAX, SMALL_BODY_BYTES_MAX + 1].map((bytes) =>
    send(cancel.padEnd(bytes), { path: '/api/v1/einvoice/cancel' }),
  );
  expect((await largest).body.code).toBe('document_not_found');
  const response = await larger;
  expect([response.status, response.body.code]).toEqual([413, 'body_too_large']);
  expect(response.body.message).toContain('256 KB');
});
