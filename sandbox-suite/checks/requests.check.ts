import { describe, expect, it } from 'vitest';
import type { Response } from '../client.js';
import { asEnvelope, consolidatedInvoice } from '../documents.js';
import {
  CANCEL,
  cancel,
  client,
  dryRun,
  expectRefused,
  number,
  post,
  statusPath,
  SUBMIT,
  UNKNOWN_ID,
} from '../suite.js';

const POLL = statusPath(UNKNOWN_ID);
const SUBMIT_BYTES_MAX = 10 * 1024 * 1024;
const CANCEL_BYTES_MAX = 256 * 1024;

function poll(headers: Record<string, string> = {}): Promise<Response> {
  return client.call({ path: POLL, headers });
}

describe('every response', () => {
  it('has the same X-Request-Id in its header and its error body', async () => {
    const response = await poll();
    expect(response.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
    expect(response.body.requestId).toBe(response.headers.get('x-request-id'));
  });

  it.each(['erp-2026.01_31', 'x'.repeat(128)])('returns the X-Request-Id of the request: %s', async (id) => {
    expect((await poll({ 'X-Request-Id': id })).headers.get('x-request-id')).toBe(id);
  });

  it.each(['two words', 'x'.repeat(129), 'a/b'])(
    'has a new X-Request-Id if the given one is malformed: %s',
    async (id) => {
      expect((await poll({ 'X-Request-Id': id })).headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
      expect((await poll({ 'X-Request-Id': id })).headers.get('x-request-id')).not.toBe(id);
    },
  );

  it('states the environment of the key', async () => {
    expect((await poll()).headers.get('x-environment')).toBe('sandbox');
  });

  it('forbids media type sniffing and caching', async () => {
    const { headers } = await poll();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe('router', () => {
  it('returns 404 route_not_found for an unknown route', async () => {
    expectRefused(await client.call({ path: '/v2/einvoice/submit', isDescribed: false }), 404, 'route_not_found');
  });

  it.each([
    ['GET', SUBMIT, 'POST'],
    ['DELETE', POLL, 'GET, HEAD'],
    ['POST', '/v1/einvoice/validate-taxpayer-tin/C9876543210', 'GET, HEAD'],
    ['PUT', CANCEL, 'POST'],
  ])('rejects unsupported methods: %s %s', async (method, path, allowed) => {
    const response = await client.call({ method, path, isDescribed: false });
    expectRefused(response, 405, 'method_not_allowed');
    expect(response.headers.get('allow')).toBe(allowed);
  });

  it('ignores a trailing slash', async () => {
    expectRefused(await client.call({ path: `${POLL}/` }), 404, 'submission_batch_not_found');
  });

  it('supports HEAD for every GET route', async () => {
    expect(await client.call({ method: 'HEAD', path: POLL })).toMatchObject({ status: 404, text: '' });
  });
});

const UTF8 = new TextEncoder();

describe.each([
  ['submit', SUBMIT, asEnvelope([])],
  ['cancel', CANCEL, { documentId: UNKNOWN_ID }],
])('body of %s', (_, path, body) => {
  it.each([
    ['text', 'text/plain'],
    ['a form', 'application/x-www-form-urlencoded'],
    ['XML', 'application/xml'],
  ])('is rejected with 415 as %s', async (_title, type) => {
    expectRefused(await post(path, body, { headers: { 'Content-Type': type } }), 415, 'unsupported_media_type');
  });

  it('may declare its character set', async () => {
    const { status } = await post(path, body, { headers: { 'Content-Type': 'application/json; charset=utf-8' } });
    expect([400, 404]).toContain(status);
  });

  it.each([
    ['is truncated', '{"documentId":'],
    ['has a trailing comma', '{"documentId":"x",}'],
    ['has a comment', '{"documentId":"x"}//'],
    ['has a number that is not valid JSON', '{"documentId":NaN}'],
  ])('is rejected as malformed_json if it %s', async (_title, text) => {
    expectRefused(await post(path, text), 400, 'malformed_json');
  });

  it('is rejected with 400 if it is empty', async () => {
    expect((await post(path, '')).status).toBe(400);
  });

  it('is rejected with 400 if it is not valid UTF-8', async () => {
    const bytes = new Uint8Array([...UTF8.encode('{"documentId":"'), 0xff, 0xfe, ...UTF8.encode('"}')]);
    expectRefused(await post(path, bytes), 400, 'malformed_json');
  });

  it('is rejected with 400 if it is a list', async () => {
    expect((await post(path, [])).status).toBe(400);
  });
});

const UPLOADS_MAX = 5;

/** Retries a broken upload, because the service may respond and close the connection before it has read the body. */
async function despiteBrokenUploads(send: () => Promise<Response>): Promise<Response> {
  for (let uploads = 1; ; uploads += 1) {
    try {
      return await send();
    } catch (error) {
      const isBroken = error instanceof TypeError && /EPIPE|ECONNRESET|other side closed/.test(String(error.cause));
      if (!isBroken || uploads === UPLOADS_MAX) throw error;
    }
  }
}

describe('size limit', () => {
  it('rejects a submit above 10 MB', async () => {
    const text = JSON.stringify(asEnvelope([consolidatedInvoice(number())], 'consolidated'));
    const body = text.padEnd(SUBMIT_BYTES_MAX + 1);
    expectRefused(await despiteBrokenUploads(() => post(SUBMIT, body)), 413, 'body_too_large');
  });

  it('rejects a cancel above 256 KB', async () => {
    const text = JSON.stringify({ documentId: UNKNOWN_ID });
    expectRefused(await cancel(text.padEnd(CANCEL_BYTES_MAX + 1)), 413, 'body_too_large');
  });

  it('allows a submit with 100 documents', async () => {
    const documents = Array.from({ length: 100 }, () => consolidatedInvoice(number()));
    const { status, body, text } = await dryRun(documents, { type: 'consolidated' });
    expect(status, text).toBe(200);
    expect(body).toMatchObject({ dryRun: true, requiredCredits: 100 });
  });
});
