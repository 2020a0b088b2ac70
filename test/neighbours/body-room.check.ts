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
import { type Browser, PASSWORD, signUp, signUpInto } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { openConnection, type RawConnection } from '../support/raw-connection.js';
import { rawRequest } from '../support/raw-http.js';
import { startFileService } from '../support/file-service.js';
import { until } from '../support/until.js';

// Only bytes that have arrived count against an organisation's share for large bodies (docs/rules.md#body-limits).

const MEGABYTE = 1024 * 1024;
const SUBMIT = '/api/v1/einvoice/submit';
const SIGN_IN = '/api/dashboard/sign-in';
const PUBLIC_BYTES_MAX = 16 * 1024;
const SHARE_BYTES = LARGE_BODIES_BYTES_MAX / 2;
const TIMEOUT_MS = 120_000;
const JSON_TYPE = { 'Content-Type': 'application/json' };

const service = await startFileService();

// These requests start before all tests, because they time out after 30 seconds.
const slowTenant = await createTenant(service);
const slowSenders = [
  startRequest(SIGN_IN, JSON_TYPE, 100),
  startRequest(
    SUBMIT,
    { 'X-API-Key': slowTenant.apiKey, ...JSON_TYPE, 'idempotency-key': randomUUID() },
    BODY_BYTES_MAX,
  ),
];
slowSenders[1].write(' '.repeat(MEGABYTE));
const TIMEOUT_MS_MAX = 55_000;

function buildHeaders(tenant: TestTenant): Record<string, string> {
  return { 'X-API-Key': tenant.apiKey, ...JSON_TYPE, 'idempotency-key': randomUUID() };
}

function sessionHeaders({ cookie, session }: Browser): Record<string, string> {
  const csrfToken = String(session?.csrfToken);
  return { Cookie: String(cookie), 'X-CSRF-Token': csrfToken, ...JSON_TYPE, 'idempotency-key': randomUUID() };
}

function pagePath(tenantId: string): string {
  return `/api/dashboard/organisations/${tenantId}/sandbox/submissions`;
}

function startRequest(path: string, headers: Record<string, string>, length: number): RawConnection {
  const opened = openConnection(service);
  opened.begin('POST', path, { ...headers, 'Content-Length': length });
  return opened;
}

function connection(): RawConnection {
  const opened = openConnection(service);
  onTestFinished(() => opened.destroy());
  return opened;
}

function buildBody(bytes = 0): string {
  return JSON.stringify({ submission_type: 'non-consolidated', documents: [invoice()] }).padEnd(bytes);
}

function send(tenant: TestTenant, bytes: number): Promise<ApiResponse> {
  return rawRequest(service, { path: SUBMIT, headers: Object.entries(buildHeaders(tenant)), body: buildBody(bytes) });
}

/** Announces a submit of 10 MB and sends only `bytes`. */
function stall(headers: Record<string, string>, bytes: number, path = SUBMIT): RawConnection {
  const upload = connection();
  upload.begin('POST', path, { ...headers, 'Content-Length': BODY_BYTES_MAX });
  upload.write(' '.repeat(bytes));
  return upload;
}

/** Stalled bodies that leave less than 2 MB of an organisation's share. */
const NEARLY_SHARE = [8 * MEGABYTE, SHARE_BYTES - 9 * MEGABYTE];

/** Runs `work` while stalled bodies occupy nearly the whole share of each organisation. */
async function whileHeld<T>(tenants: readonly TestTenant[], work: () => Promise<T>): Promise<T> {
  const uploads = tenants.flatMap((tenant) => NEARLY_SHARE.map((bytes) => stall(buildHeaders(tenant), bytes)));
  await Promise.all(uploads.map((upload) => upload.arrived()));
  const result = await work();
  expect(uploads.filter((upload) => upload.hasMore())).toEqual([]);
  for (const upload of uploads) upload.destroy();
  return result;
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

describe('a client without key and session', { timeout: TIMEOUT_MS }, () => {
  const refusals: [title: string, path: string, headers: Record<string, string>, status: number, code: string][] = [
    ['a sign-in', SIGN_IN, {}, 413, 'body_too_large'],
    ['a sign-up', '/api/dashboard/sign-up', {}, 413, 'body_too_large'],
    ['an invitation', '/api/dashboard/invitations/sign-up', {}, 413, 'body_too_large'],
    ['an unknown path', '/api/v1/einvoice/submitted', {}, 404, 'route_not_found'],
    ['a submit without a key', SUBMIT, {}, 401, 'api_key_missing'],
    ['a submit with a wrong key', SUBMIT, { 'X-API-Key': `eisk_test_${'x'.repeat(36)}` }, 401, 'api_key_invalid'],
    ['a password change without a session', '/api/dashboard/password', {}, 401, 'session_required'],
  ];

  it.each(refusals)('is rejected before its body of 8 MB is sent: %s', async (_, path, headers, ...expected) => {
    const stranger = connection();
    stranger.begin('POST', path, { ...headers, ...JSON_TYPE, 'Content-Length': 8 * MEGABYTE });
    stranger.write('{');
    const response = await stranger.response();
    expectProblem(response);
    expect([response.status, response.body.code]).toEqual(expected);
  });

  it.each([SIGN_IN, '/api/nowhere'])('uses no memory for large bodies at %s', async (path) => {
    const tenant = await createTenant(service);
    for (let count = 0; count < 8; count += 1) {
      const stranger = connection();
      stranger.begin('POST', path, { ...JSON_TYPE, 'Content-Length': 8 * MEGABYTE });
      stranger.write('{');
    }
    expect((await send(tenant, BODY_BYTES_MAX)).status).toBe(200);
  });

  it('may send at most 16 KB', async () => {
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

  it('may send at most 16 KB with a session without an organisation', async () => {
    const { browser } = await signUp(service);
    const password = { currentPassword: PASSWORD, newPassword: 'x'.repeat(PUBLIC_BYTES_MAX) };
    const response = await browser.post<{ code: string }>('/password', password);
    expect([response.status, response.body.code]).toEqual([413, 'body_too_large']);
  });
});

describe('the large-body share of an organisation', { timeout: TIMEOUT_MS }, () => {
  it('counts only bytes that have arrived', async () => {
    const tenant = await createTenant(service);
    for (let count = 0; count < 8; count += 1) stall(buildHeaders(tenant), SMALL_BODY_BYTES_MAX + 64 * 1024);
    expect((await send(tenant, BODY_BYTES_MAX)).status).toBe(200);
  });

  it('is half of the memory for large bodies', async () => {
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

  it('leaves memory for other organisations despite a hundred stalled bodies', async () => {
    const [greedy, other] = [await createTenant(service), await createTenant(service)];
    const uploads = Array.from({ length: 100 }, () => stall(buildHeaders(greedy), MEGABYTE));
    const refused = (): RawConnection[] => uploads.filter((upload) => upload.hasMore());
    await until('all but 16 are refused', () => refused().length >= 100 - SHARE_BYTES / MEGABYTE);
    expectOverShare(await refused()[0].response());
    expect((await send(other, BODY_BYTES_MAX)).status).toBe(200);
  });

  it('gets 503 with Retry-After when several organisations fill the memory', async () => {
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

  it('is released once when clients disconnect during a body', async () => {
    const tenant = await createTenant(service);
    for (let turn = 0; turn < 3; turn += 1) {
      await whileHeld([tenant], () => Promise.resolve());
      await untilAccepted(tenant, BODY_BYTES_MAX);
    }
    expectOverShare(await whileHeld([tenant], () => send(tenant, 2 * MEGABYTE)));
  });

  it('is released by a pipelined request of a lost connection', async () => {
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

  it('is shared by API keys and browser sessions', async () => {
    const tenant = await createTenant(service);
    const browser = await signUpInto(service, tenant.tenantId, 'member');
    const inBrowser = (tenantId: string, bytes: number): Promise<ApiResponse> =>
      rawRequest(service, {
        path: pagePath(tenantId),
        headers: Object.entries(sessionHeaders(browser)),
        body: buildBody(bytes),
      });
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

describe('dashboard sessions of several organisations', { timeout: TIMEOUT_MS }, () => {
  it('leave half of the memory for large bodies to API keys', async () => {
    const tenants = [await createTenant(service), await createTenant(service)];
    const [first, second] = await Promise.all(
      tenants.map(async ({ tenantId }) => {
        const browser = await signUpInto(service, tenantId, 'member');
        return (bytes: number) => stall(sessionHeaders(browser), bytes, pagePath(tenantId));
      }),
    );
    await Promise.all([first(8 * MEGABYTE), second(7 * MEGABYTE)].map((upload) => upload.arrived()));
    const refused = await second(2 * MEGABYTE).response();
    expect([refused.status, refused.body.code], refused.text).toEqual([503, 'too_many_large_bodies']);
    expect((await send(await createTenant(service), BODY_BYTES_MAX)).status).toBe(200);
  });
});

describe('a connection', { timeout: TIMEOUT_MS }, () => {
  const poll = (next: RawConnection): Promise<ApiResponse> => {
    next.begin('GET', '/api/health/live', {});
    return next.response();
  };

  it('stays usable after a large body was rejected', async () => {
    const tenant = await createTenant(service);
    const { refused, answer } = await whileHeld([tenant], async () => {
      const upload = stall(buildHeaders(tenant), 2 * MEGABYTE);
      return { refused: upload, answer: await upload.response() };
    });
    expectOverShare(answer);
    expect(answer.headers.get('connection')).toBe('keep-alive');
    refused.write(' '.repeat(BODY_BYTES_MAX - 2 * MEGABYTE));
    expect((await poll(refused)).status).toBe(200);
  });

  it('stays usable after a body for an unknown path', async () => {
    const lost = connection();
    lost.begin('POST', '/api/nowhere', { ...JSON_TYPE, 'Content-Length': MEGABYTE });
    expect((await lost.response()).status).toBe(404);
    lost.write(' '.repeat(MEGABYTE));
    expect((await poll(lost)).status).toBe(200);
  });

  it('gets 100 Continue only with a valid key', async () => {
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

  it('is closed after bytes that are not HTTP', async () => {
    const noise = connection();
    noise.write('nonsense\r\n\r\n');
    expect((await noise.response()).status).toBe(400);
    await noise.closed();
  });

  it('is closed with 408 after 30 seconds of an incomplete request', async () => {
    for (const sender of slowSenders) {
      await until('the request times out', () => sender.hasMore(), TIMEOUT_MS_MAX);
      const response = await sender.response();
      expectProblem(response);
      expect([response.status, response.body.code]).toEqual([408, 'request_timeout']);
      await sender.closed();
      sender.destroy();
    }
    expect((await whileHeld([slowTenant], () => send(slowTenant, MEGABYTE))).status).toBe(200);
  });
});
