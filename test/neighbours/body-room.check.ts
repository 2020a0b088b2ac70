import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BODY_BYTES_MAX } from '../../src/http/json-body.js';
import { LARGE_BODIES_BYTES_MAX, SMALL_BODY_BYTES_MAX } from '../../src/http/large-bodies.js';
import {
  accept,
  type ApiResponse,
  createTenant,
  expectProblem,
  sortStatuses,
  submit,
  type TestTenant,
} from '../support/client.js';
import { PASSWORD, signUp, signUpInto } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { openConnection, type RawConnection } from '../support/raw-connection.js';
import { rawRequest } from '../support/raw-http.js';
import { startFileService } from '../support/file-service.js';
import { until } from '../support/until.js';

// The room for large bodies belongs to organisations that send them, as far as they have sent them
// (docs/rules.md#body-limits).

const MEGABYTE = 1024 * 1024;
const SUBMIT = '/api/v1/einvoice/submit';
const SIGN_IN = '/api/dashboard/sign-in';
const PUBLIC_BYTES_MAX = 16 * 1024;
const SHARE_BYTES = LARGE_BODIES_BYTES_MAX / 2;
const TIMEOUT_MS = 120_000;
const JSON_TYPE = { 'Content-Type': 'application/json' };

const service = await startFileService();

// Begins here, since it lasts longer than all the others together.
const unfinished = openConnection(service);
unfinished.begin('POST', SIGN_IN, { ...JSON_TYPE, 'Content-Length': 100 });
const unfinishedUntil = performance.now() + 55_000;

function buildHeaders(tenant: TestTenant): Record<string, string> {
  return { 'X-API-Key': tenant.apiKey, ...JSON_TYPE, 'idempotency-key': randomUUID() };
}

function connection(): RawConnection {
  const opened = openConnection(service);
  onTestFinished(() => opened.destroy());
  return opened;
}

function buildBody(bytes = 0): string {
  return JSON.stringify({ submission_type: 'non-consolidated', documents: [invoice()] }).padEnd(bytes);
}

/** A submit with a body of so many bytes. */
function send(tenant: TestTenant, bytes: number): Promise<ApiResponse> {
  return rawRequest(service, { path: SUBMIT, headers: Object.entries(buildHeaders(tenant)), body: buildBody(bytes) });
}

/** A submit that announces 10 MB and sends so many of them. */
function stall(tenant: TestTenant, bytes: number): RawConnection {
  const upload = connection();
  upload.begin('POST', SUBMIT, { ...buildHeaders(tenant), 'Content-Length': BODY_BYTES_MAX });
  upload.write(' '.repeat(bytes));
  return upload;
}

/** What an organisation may hold so that 2 MB more are too much. */
const NEARLY_SHARE = [8 * MEGABYTE, SHARE_BYTES - 9 * MEGABYTE];
const TRIES_MAX = 5;

/**
 * Does something while each of these organisations holds nearly its share by two bodies that are stuck. It is done
 * again when a busy machine took so long that the bodies were ended for it.
 */
async function whileHeld<T>(
  tenants: readonly TestTenant[],
  work: (uploads: RawConnection[]) => Promise<T>,
): Promise<T> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const uploads = tenants.flatMap((tenant) => NEARLY_SHARE.map((bytes) => stall(tenant, bytes)));
    await Promise.all(uploads.map((upload) => upload.arrived()));
    const result = await work(uploads);
    const isHeld = uploads.every((upload) => !upload.hasMore());
    for (const upload of uploads) upload.destroy();
    if (isHeld) return result;
    for (const tenant of tenants) await untilAccepted(tenant, BODY_BYTES_MAX);
  }
  throw new Error('The machine is too busy: no body stood still for as long as the test needs');
}

async function untilAccepted(tenant: TestTenant, bytes: number): Promise<void> {
  await until(`a body of ${bytes} bytes is accepted`, async () => (await send(tenant, bytes)).status === 200);
}

async function untilAnswered({ tenantId }: TestTenant, key: string): Promise<void> {
  await until('the submit has a response', async () => {
    const rows = await service.owner.query<unknown[]>(
      'SELECT FROM idempotency_record WHERE tenant_id = $1 AND key = $2',
      [tenantId, key],
    );
    return rows.length === 1;
  });
}

function expectOverShare(response: ApiResponse): void {
  expect(response.status, response.text).toBe(429);
  expectProblem(response);
  expect(response.body.code).toBe('large_body_share_exceeded');
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
}

describe('who sends no key and has no session', { timeout: TIMEOUT_MS }, () => {
  const refusals: [title: string, path: string, headers: Record<string, string>, status: number, code: string][] = [
    ['a sign-in', SIGN_IN, {}, 413, 'body_too_large'],
    ['a sign-up', '/api/dashboard/sign-up', {}, 413, 'body_too_large'],
    ['an invitation', '/api/dashboard/invitations/sign-up', {}, 413, 'body_too_large'],
    ['an unknown path', '/api/v1/einvoice/submitted', {}, 404, 'route_not_found'],
    ['a submit without a key', SUBMIT, {}, 401, 'api_key_missing'],
    ['a submit with a wrong key', SUBMIT, { 'X-API-Key': `eisk_test_${'x'.repeat(36)}` }, 401, 'api_key_invalid'],
    ['a change without a session', '/api/dashboard/password', {}, 401, 'session_required'],
  ];

  it.each(refusals)(
    '%s that announces 8 MB is refused before its body is sent',
    async (_, path, headers, ...expected) => {
      const stranger = connection();
      stranger.begin('POST', path, { ...headers, ...JSON_TYPE, 'Content-Length': 8 * MEGABYTE });
      stranger.write('{');
      const response = await stranger.response();
      expectProblem(response);
      expect([response.status, response.body.code]).toEqual(expected);
    },
  );

  it.each([SIGN_IN, '/api/nowhere'])(
    'keeps no room: 10 MB of an organisation are taken next to eight of them, at %s',
    async (path) => {
      const tenant = await createTenant(service);
      for (let count = 0; count < 8; count += 1) {
        const stranger = connection();
        stranger.begin('POST', path, { ...JSON_TYPE, 'Content-Length': 8 * MEGABYTE });
        stranger.write('{');
      }
      expect((await send(tenant, BODY_BYTES_MAX)).status).toBe(200);
    },
  );

  it('may send 16 KB, and no byte more: announced or in chunks', async () => {
    const body = (bytes: number): string =>
      JSON.stringify({ email: 'nobody@kedai.example', password: PASSWORD }).padEnd(bytes);
    const headers = Object.entries(JSON_TYPE);
    const signIn = (bytes: string | string[]): Promise<ApiResponse> =>
      rawRequest(service, { path: SIGN_IN, headers, body: bytes });
    expect((await signIn(body(PUBLIC_BYTES_MAX))).body.code).toBe('sign_in_refused');
    expect((await signIn([body(100), ' '.repeat(PUBLIC_BYTES_MAX - 100)])).body.code).toBe('sign_in_refused');
    for (const tooLong of [body(PUBLIC_BYTES_MAX + 1), [body(100), ' '.repeat(PUBLIC_BYTES_MAX - 99)]]) {
      const response = await signIn(tooLong);
      expect(response.status, response.text).toBe(413);
      expect(response.body).toMatchObject({ code: 'body_too_large', message: expect.stringContaining('16 KB') });
    }
  });

  it('may send as little with a session that acts for no organisation', async () => {
    const { browser } = await signUp(service);
    const password = { currentPassword: PASSWORD, newPassword: 'x'.repeat(PUBLIC_BYTES_MAX) };
    const response = await browser.post<{ code: string }>('/password', password);
    expect([response.status, response.body.code]).toEqual([413, 'body_too_large']);
  });
});

describe('the room of an organisation', { timeout: TIMEOUT_MS }, () => {
  it('is taken by the bytes that have arrived, not by those that are announced', async () => {
    const tenant = await createTenant(service);
    for (let count = 0; count < 8; count += 1) stall(tenant, SMALL_BODY_BYTES_MAX + 64 * 1024);
    expect((await send(tenant, BODY_BYTES_MAX)).status).toBe(200);
  });

  it('is half of all: beyond it a large body is 429 with Retry-After, and a small one is taken', async () => {
    const tenant = await createTenant(service);
    const inChunks = { path: SUBMIT, body: [buildBody(), ...Array<string>(2).fill(' '.repeat(MEGABYTE))] };
    const [announced, chunked, ...small] = await whileHeld([tenant], async () => [
      await send(tenant, 2 * MEGABYTE),
      await rawRequest(service, { ...inChunks, headers: Object.entries(buildHeaders(tenant)) }),
      await send(tenant, SMALL_BODY_BYTES_MAX),
      await submit(service, tenant, [invoice()]),
    ]);
    expectOverShare(announced);
    expectOverShare(chunked);
    expect(sortStatuses(small)).toEqual([200, 200]);
  });

  it('leaves the other half: next to a hundred stalled bodies of one, 10 MB of another are taken', async () => {
    const [greedy, other] = [await createTenant(service), await createTenant(service)];
    const uploads = Array.from({ length: 100 }, () => stall(greedy, MEGABYTE));
    const refused = (): RawConnection[] => uploads.filter((upload) => upload.hasMore());
    await until('all but 16 are refused', () => refused().length >= 100 - SHARE_BYTES / MEGABYTE);
    expectOverShare(await refused()[0].response());
    expect((await send(other, BODY_BYTES_MAX)).status).toBe(200);
  });

  it('ends where those of several fill all: then a large body is 503 with Retry-After, a small one is taken', async () => {
    const [first, second, third] = [
      await createTenant(service),
      await createTenant(service),
      await createTenant(service),
    ];
    const [large, small] = await whileHeld([first, second], async () => [
      await send(third, 4 * MEGABYTE),
      await submit(service, third, [invoice()]),
    ]);
    expect([large.status, large.body.code], large.text).toEqual([503, 'too_many_large_bodies']);
    expectProblem(large);
    expect(Number(large.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(small.status).toBe(200);
  });

  it('is given back once when clients hang up in the middle', async () => {
    const tenant = await createTenant(service);
    for (let turn = 0; turn < 3; turn += 1) {
      await whileHeld([tenant], () => Promise.resolve());
      await untilAccepted(tenant, BODY_BYTES_MAX);
    }
    expectOverShare(await whileHeld([tenant], () => send(tenant, 2 * MEGABYTE)));
  });

  it('is given back by a request that waits behind another one of a connection that is lost', async () => {
    const tenant = await createTenant(service);
    const { submissionBatchId } = await accept(service, tenant, [invoice()]);
    const path = `/api/v1/saas/submissions/${submissionBatchId}/status`;
    const status = await rawRequest(service, { method: 'GET', path, headers: [['X-API-Key', tenant.apiKey]] });
    const poll = { 'X-API-Key': tenant.apiKey, 'If-None-Match': String(status.headers.get('etag')), Prefer: 'wait=20' };
    for (let turn = 0; turn < 2; turn += 1) {
      const pipeline = connection();
      pipeline.begin('GET', path, poll);
      const key = randomUUID();
      const headers = { ...buildHeaders(tenant), 'idempotency-key': key, 'Content-Length': BODY_BYTES_MAX };
      pipeline.begin('POST', SUBMIT, headers);
      pipeline.write(buildBody(BODY_BYTES_MAX));
      await untilAnswered(tenant, key);
      expect(pipeline.hasMore()).toBe(false);
      pipeline.destroy();
    }
    await untilAccepted(tenant, BODY_BYTES_MAX);
  });

  it('is the same for its keys and for its members in the browser, however they spell its id', async () => {
    const tenant = await createTenant(service);
    const browser = await signUpInto(service, tenant.tenantId, 'member');
    const path = (tenantId: string): string => `/api/dashboard/organisations/${tenantId}/sandbox/submissions`;
    const inBrowser = (tenantId: string, bytes: number): Promise<ApiResponse> => {
      const session = { Cookie: String(browser.cookie), 'X-CSRF-Token': String(browser.session?.csrfToken) };
      const headers = { ...session, ...JSON_TYPE, 'idempotency-key': randomUUID() };
      return rawRequest(service, { path: path(tenantId), headers: Object.entries(headers), body: buildBody(bytes) });
    };
    expect((await inBrowser(tenant.tenantId, BODY_BYTES_MAX)).status).toBe(200);
    const [large, respelled, small] = await whileHeld([tenant], async () => [
      await inBrowser(tenant.tenantId, 2 * MEGABYTE),
      await inBrowser(tenant.tenantId.toUpperCase(), 2 * MEGABYTE),
      await inBrowser(tenant.tenantId, SMALL_BODY_BYTES_MAX),
    ]);
    expectOverShare(large);
    expectOverShare(respelled);
    expect(small.status).toBe(200);
  });
});

describe('a large body that stops arriving', { timeout: TIMEOUT_MS }, () => {
  it('is 408, its connection ends, and its room is free again', async () => {
    const tenant = await createTenant(service);
    const uploads = NEARLY_SHARE.map((bytes) => stall(tenant, bytes));
    for (const upload of uploads) {
      const response = await upload.response();
      expectProblem(response);
      expect([response.status, response.body.code], response.text).toEqual([408, 'request_timeout']);
      expect(response.body.message).toContain('64 KB');
      await upload.closed();
    }
    expect((await send(tenant, BODY_BYTES_MAX)).status).toBe(200);
  });

  it('is another one than a body that arrives slowly but steadily, which is read', async () => {
    const tenant = await createTenant(service);
    const steady = connection();
    const body = buildBody(BODY_BYTES_MAX);
    steady.begin('POST', SUBMIT, { ...buildHeaders(tenant), 'Content-Length': body.length });
    steady.write(body.slice(0, MEGABYTE));
    // The other one's end is the clock: for so long the steady one has brought a little at a time.
    const stalled = stall(tenant, MEGABYTE);
    let sent = MEGABYTE;
    await until('the stalled body was ended', () => {
      if (sent < 9 * MEGABYTE) steady.write(body.slice(sent, (sent += 4096)));
      return stalled.hasMore();
    });
    expect((await stalled.response()).status).toBe(408);
    expect(steady.hasMore()).toBe(false);
    steady.write(body.slice(sent));
    expect((await steady.response()).status).toBe(200);
  });
});

describe('a connection', { timeout: TIMEOUT_MS }, () => {
  const poll = (next: RawConnection): Promise<ApiResponse> => {
    next.begin('GET', '/api/health/live', {});
    return next.response();
  };

  it('goes on after a body for which there was no room: the rest of it is read, then the next request', async () => {
    const tenant = await createTenant(service);
    const { refused, answer } = await whileHeld([tenant], async () => {
      const upload = stall(tenant, 2 * MEGABYTE);
      return { refused: upload, answer: await upload.response() };
    });
    expectOverShare(answer);
    expect(answer.headers.get('connection')).toBe('keep-alive');
    refused.write(' '.repeat(BODY_BYTES_MAX - 2 * MEGABYTE));
    expect((await poll(refused)).status).toBe(200);
  });

  it('goes on after a body that was sent to an unknown path', async () => {
    const lost = connection();
    lost.begin('POST', '/api/nowhere', { ...JSON_TYPE, 'Content-Length': MEGABYTE });
    expect((await lost.response()).status).toBe(404);
    lost.write(' '.repeat(MEGABYTE));
    expect((await poll(lost)).status).toBe(200);
  });

  it('that expects 100 Continue is told so when its key was accepted, and is closed when it was refused', async () => {
    const tenant = await createTenant(service);
    const body = buildBody(MEGABYTE);
    const expectation = { Expect: '100-continue', 'Content-Length': body.length };
    const welcome = connection();
    welcome.begin('POST', SUBMIT, { ...buildHeaders(tenant), ...expectation });
    expect((await welcome.response()).status).toBe(100);
    welcome.write(body);
    expect((await welcome.response()).status).toBe(200);
    expect((await poll(welcome)).status).toBe(200);
    const refused = connection();
    refused.begin('POST', SUBMIT, { ...buildHeaders(tenant), 'X-API-Key': 'eisk_test_nobody', ...expectation });
    const response = await refused.response();
    expect([response.status, response.headers.get('connection')]).toEqual([401, 'close']);
    await refused.closed();
  });

  it('is closed behind the response to what is not HTTP, also when the client does not hang up', async () => {
    const noise = connection();
    noise.write('nonsense\r\n\r\n');
    expect((await noise.response()).status).toBe(400);
    await noise.closed();
  });

  it('is 408 and closed when a request has not come completely in 30 seconds', async () => {
    await until('there is a response', () => unfinished.hasMore(), unfinishedUntil - performance.now());
    const response = await unfinished.response();
    expectProblem(response);
    expect([response.status, response.body.code]).toEqual([408, 'request_timeout']);
    await unfinished.closed();
    unfinished.destroy();
  });
});
