import { describe, expect, it } from 'vitest';
import type { Request } from '../client.js';
import { asEnvelope, invoice } from '../documents.js';
import { CANCEL, client, expectRefused, key, number, settings, statusPath, SUBMIT, UNKNOWN_ID } from '../suite.js';

/** A free request that returns 404 with a valid key. */
const POLL = statusPath(UNKNOWN_ID);
const { apiKey } = settings;

function poll(headers: Record<string, string>): Promise<number> {
  return client.call({ path: POLL, headers, apiKey: null }).then(({ status }) => status);
}

const JSON_HEADERS = { 'Content-Type': 'application/json', 'idempotency-key': key() };
const ENDPOINTS: [name: string, request: Request][] = [
  ['submit', { method: 'POST', path: SUBMIT, headers: JSON_HEADERS, body: asEnvelope([invoice(number())]) }],
  ['the status', { path: POLL }],
  ['the TIN check', { path: '/v1/einvoice/validate-taxpayer-tin/C9876543210' }],
  ['cancel', { method: 'POST', path: CANCEL, headers: JSON_HEADERS, body: { documentId: UNKNOWN_ID } }],
];

describe('API key', () => {
  it('is accepted in X-API-Key', async () => {
    expect(await poll({ 'X-API-Key': apiKey })).toBe(404);
  });

  it('is accepted in Authorization: Bearer', async () => {
    expect(await poll({ Authorization: `Bearer ${apiKey}` })).toBe(404);
  });

  it('may be sent in both headers', async () => {
    expect(await poll({ 'X-API-Key': apiKey, Authorization: `Bearer ${apiKey}` })).toBe(404);
  });

  it('is accepted next to an Authorization header with another scheme', async () => {
    expect(await poll({ 'X-API-Key': apiKey, Authorization: 'Basic dXNlcjpwYXNzd29yZA==' })).toBe(404);
  });

  it('must not differ between the two headers', async () => {
    const headers = { 'X-API-Key': apiKey, Authorization: `Bearer eisk_test_${'x'.repeat(36)}` };
    expectRefused(await client.call({ path: POLL, headers, apiKey: null }), 401, 'api_key_invalid');
  });

  it.each(ENDPOINTS)('is required by %s: 401 api_key_missing', async (_, request) => {
    const response = await client.call({ ...request, apiKey: null });
    expectRefused(response, 401, 'api_key_missing');
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it.each(ENDPOINTS)('is rejected by %s if it does not exist: 401 api_key_invalid', async (_, request) => {
    const response = await client.call({
      ...request,
      apiKey: `${apiKey.slice(0, -1)}${apiKey.endsWith('x') ? 'y' : 'x'}`,
    });
    expectRefused(response, 401, 'api_key_invalid');
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it('is checked before the body is read', async () => {
    const request = { method: 'POST', path: SUBMIT, headers: JSON_HEADERS, body: '{"submission_type":' };
    expectRefused(await client.call({ ...request, apiKey: null }), 401, 'api_key_missing');
  });

  it('is not required for an unknown route', async () => {
    const response = await client.call({ path: '/v1/einvoice/nothing-here', apiKey: null, isDescribed: false });
    expectRefused(response, 404, 'route_not_found');
  });
});
