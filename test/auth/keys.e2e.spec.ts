import { describe, expect, it } from 'vitest';
import { createApiKeyText } from '../../src/accounts/api-keys/api-key-text.js';
import {
  accept,
  type ApiResponse,
  createKey,
  createTenant,
  expectProblem,
  get,
  refused,
  request,
  submit,
} from '../support/client.js';
import { invoice } from '../support/documents.js';
import { rawRequest } from '../support/raw-http.js';
import { startFileService } from '../support/file-service.js';

// docs/rules.md#api-keys, docs/rules.md#error-responses

const service = await startFileService();
const tenant = await createTenant(service);
const batch = await accept(service, tenant, [invoice()]);
const path = `/v1/saas/submissions/${batch.submissionBatchId}/status`;

function call(headers: Record<string, string>): Promise<ApiResponse> {
  return request(service, path, { headers });
}

function expectUnauthorized(response: ApiResponse, code: string): void {
  expectProblem(response);
  expect(response.status).toBe(401);
  expect(response.body.code).toBe(code);
  expect(response.headers.get('www-authenticate')).toBe('Bearer');
  expect(response.headers.get('x-environment')).toBeNull();
}

describe('an API key', () => {
  const ways: [title: string, headers: (key: string) => Record<string, string>][] = [
    ['in X-API-Key', (key) => ({ 'X-API-Key': key })],
    ['in Authorization: Bearer', (key) => ({ Authorization: `Bearer ${key}` })],
    ['with a lower-case scheme', (key) => ({ Authorization: `bearer ${key}` })],
    ['in both headers', (key) => ({ 'X-API-Key': key, Authorization: `Bearer ${key}` })],
    [
      'in X-API-Key, with credentials for a gateway in Authorization',
      (key) => ({ 'X-API-Key': key, Authorization: 'Basic Z2F0ZXdheTpzZWNyZXQ=' }),
    ],
    ['with surrounding white space', (key) => ({ 'X-API-Key': ` ${key} ` })],
  ];

  it.each(ways)('is accepted %s', async (_, headers) => {
    const response = await call(headers(tenant.apiKey));
    expect(response.status, response.text).toBe(200);
    expect(response.headers.get('x-environment')).toBe('sandbox');
  });
});

describe('a 401 response', () => {
  const mistyped = (key: string): string => key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A');
  const refusals: [title: string, code: string, headers: (key: string) => Record<string, string>][] = [
    ['api_key_missing without a header', 'api_key_missing', () => ({})],
    ['api_key_missing with an empty X-API-Key', 'api_key_missing', () => ({ 'X-API-Key': ' ' })],
    ['api_key_invalid with an unknown key', 'api_key_invalid', () => ({ 'X-API-Key': createApiKeyText('sandbox') })],
    ['api_key_invalid with a mistyped key', 'api_key_invalid', (key) => ({ 'X-API-Key': mistyped(key) })],
    ['api_key_invalid with half a key', 'api_key_invalid', (key) => ({ 'X-API-Key': key.slice(0, 20) })],
    ['api_key_invalid with characters after the key', 'api_key_invalid', (key) => ({ 'X-API-Key': `${key}x` })],
    ['api_key_invalid with another scheme', 'api_key_invalid', (key) => ({ Authorization: `Basic ${key}` })],
    ['api_key_invalid without a scheme', 'api_key_invalid', (key) => ({ Authorization: key })],
    ['api_key_invalid with a scheme alone', 'api_key_invalid', () => ({ Authorization: 'Bearer' })],
    ['api_key_invalid with 10,000 characters', 'api_key_invalid', () => ({ 'X-API-Key': 'x'.repeat(10_000) })],
    ['api_key_invalid with SQL', 'api_key_invalid', () => ({ 'X-API-Key': "' OR 1=1--" })],
  ];

  it.each(refusals)('has code %s', async (_, code, headers) =>
    expectUnauthorized(await call(headers(tenant.apiKey)), code),
  );

  it('is returned for different keys in the two headers', async () => {
    const other = await createKey(service, tenant.tenantId);
    expectUnauthorized(await call({ 'X-API-Key': tenant.apiKey, Authorization: `Bearer ${other}` }), 'api_key_invalid');
  });

  it('is returned for an empty X-API-Key with gateway credentials', async () => {
    expectUnauthorized(await call({ 'X-API-Key': '', Authorization: 'Basic Z2F0ZXdheTpzZWNyZXQ=' }), 'api_key_invalid');
  });

  it.each(['Bearer …', 'ApiKey …', 'Bearer…', '"…"', "'…'", 'X-API-Key: …'])(
    'explains the format of X-API-Key for %s',
    async (text) => {
      const response = await call({ 'X-API-Key': text.replace('…', tenant.apiKey) });
      expectUnauthorized(response, 'api_key_invalid');
      expect(response.text).toContain('X-API-Key must be the API key alone');
    },
  );

  it.each(['Bearer"…"', 'Bearer "…"', 'Bearer…', 'ApiKey …'])(
    'explains the format of Authorization for %s',
    async (text) => {
      const response = await call({ Authorization: text.replace('…', tenant.apiKey) });
      expectUnauthorized(response, 'api_key_invalid');
      expect(response.text).toContain('must be the word Bearer, a space and the API key');
    },
  );

  it('is returned for two different X-API-Key headers', async () => {
    const other = await createKey(service, tenant.tenantId);
    const headers: [string, string][] = [
      ['X-API-Key', tenant.apiKey],
      ['X-API-Key', other],
    ];
    expectUnauthorized(await rawRequest(service, { method: 'GET', path: `/api${path}`, headers }), 'api_key_invalid');
  });

  it('has code api_key_revoked within a second of the revocation', async () => {
    const apiKey = await createKey(service, tenant.tenantId);
    expect((await call({ 'X-API-Key': apiKey })).status).toBe(200);
    await setKey('revoked_at = service_now()');
    expectUnauthorized(await callAfterASecond(apiKey), 'api_key_revoked');
  });

  it('has code api_key_expired within a second of the expiry', async () => {
    const apiKey = await createKey(service, tenant.tenantId);
    await setKey(`expires_at = service_now() + interval '1 hour'`);
    expect((await call({ 'X-API-Key': apiKey })).status).toBe(200);
    await service.advance(3_600);
    expectUnauthorized(await callAfterASecond(apiKey), 'api_key_expired');
  });

  it('has code api_key_wrong_environment if production is not configured', async () => {
    const apiKey = await createKey(service, tenant.tenantId, 'production');
    expectUnauthorized(await call({ 'X-API-Key': apiKey }), 'api_key_wrong_environment');
  });

  it('has no side effects', async () => {
    const stranger = { ...tenant, apiKey: createApiKeyText('sandbox') };
    const response = await refused(service, tenant, () => submit(service, stranger, [invoice()]));
    expect(response.status).toBe(401);
  });

  it('is not returned to other tenants after a revocation', async () => {
    const other = await createTenant(service);
    await createKey(service, tenant.tenantId);
    await setKey('revoked_at = service_now()');
    expect((await submit(service, other, [invoice()])).status).toBe(200);
    expect((await call({ 'X-API-Key': tenant.apiKey })).status).toBe(200);
  });

  /** Sends requests until one starts more than a second later. */
  async function callAfterASecond(apiKey: string): Promise<Awaited<ReturnType<typeof call>>> {
    const promisedAt = performance.now() + 1_000;
    for (;;) {
      const begunAt = performance.now();
      const response = await call({ 'X-API-Key': apiKey });
      if (begunAt >= promisedAt) return response;
    }
  }

  /** Changes the tenant's newest key. */
  function setKey(change: string): Promise<unknown> {
    return service.owner.query(
      `UPDATE api_key SET ${change} WHERE id = (SELECT max(id::text)::uuid FROM api_key WHERE tenant_id = $1)`,
      [tenant.tenantId],
    );
  }
});

describe('a stored key', () => {
  it('contains only the hash and displayed characters of the key', async () => {
    const rows = await service.owner.query<{ row: string }[]>('SELECT api_key::text AS row FROM api_key');
    expect(rows.length).toBeGreaterThan(0);
    for (const { row } of rows) expect(row).not.toContain(tenant.apiKey.slice(10, -4));
    const [mine] = await service.owner.query<{ prefix: string; last_four: string; bytes: number }[]>(
      `SELECT prefix, last_four, octet_length(digest) AS bytes FROM api_key WHERE tenant_id = $1 ORDER BY id LIMIT 1`,
      [tenant.tenantId],
    );
    expect(mine).toEqual({ prefix: 'eisk_test_', last_four: tenant.apiKey.slice(-4), bytes: 32 });
  });
});

describe('X-Request-Id', () => {
  it.each(['a', 'A.b_c-9', 'x'.repeat(128)])('is returned in the header and body: %s', async (id) => {
    const good = await get(service, tenant, path, { 'X-Request-Id': id });
    expect(good.headers.get('x-request-id')).toBe(id);
    const bad = await call({ 'X-Request-Id': id });
    expect(bad.headers.get('x-request-id')).toBe(id);
    expect(bad.body.requestId).toBe(id);
  });

  it.each(['', 'x'.repeat(129), 'with space', 'semi;colon', 'quote"', 'ünïcode', '../etc'])(
    'is replaced if it is malformed: %s',
    async (id) => {
      const response = await rawRequest(service, {
        method: 'GET',
        path: `/api${path}`,
        headers: [['X-Request-Id', id]],
      });
      expectProblem(response);
      expect(response.body.requestId).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  it('is unique in every response', async () => {
    const responses = [
      await get(service, tenant, path),
      await get(service, tenant, path),
      await request(service, '/health/live'),
      await request(service, '/nowhere'),
    ];
    const ids = responses.map(({ headers }) => headers.get('x-request-id') ?? '');
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
