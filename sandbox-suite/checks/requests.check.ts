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
  it('has an X-Request-Id, which an error also has in its body', async () => {
    const response = await poll();
    expect(response.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
    expect(response.body.requestId).toBe(response.headers.get('x-request-id'));
  });

  it.each(['erp-2026.01_31', 'x'.repeat(128)])('has the X-Request-Id of the request: %s', async (id) => {
    expect((await poll({ 'X-Request-Id': id })).headers.get('x-request-id')).toBe(id);
  });

  it.each(['two words', 'x'.repeat(129), 'a/b'])(
    'has another X-Request-Id where the given one has no such form: %s',
    async (id) => {
      expect((await poll({ 'X-Request-Id': id })).headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
      expect((await poll({ 'X-Request-Id': id })).headers.get('x-request-id')).not.toBe(id);
    },
  );

  it('to a key names its environment', async () => {
    expect((await poll()).headers.get('x-environment')).toBe('sandbox');
  });

  it('must not be read as another media type, and an error is not stored', async () => {
    const { headers } = await poll();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe('routes', () => {
  it('that do not exist are 404 route_not_found', async () => {
    expectRefused(await client.call({ path: '/v2/einvoice/submit', isDescribed: false }), 404, 'route_not_found');
  });

  it.each([
    ['GET', SUBMIT, 'POST'],
    ['DELETE', POLL, 'GET, HEAD'],
    ['POST', '/v1/einvoice/validate-taxpayer-tin/C9876543210', 'GET, HEAD'],
    ['PUT', CANCEL, 'POST'],
  ])('do not accept another method: %s %s', async (method, path, allowed) => {
    const response = await client.call({ method, path, isDescribed: false });
    expectRefused(response, 405, 'method_not_allowed');
    expect(response.headers.get('allow')).toBe(allowed);
  });

  it('are the same with a slash at the end', async () => {
    expectRefused(await client.call({ path: `${POLL}/` }), 404, 'submission_batch_not_found');
  });

  it('that GET takes, HEAD takes too, without a body', async () => {
    expect(await client.call({ method: 'HEAD', path: POLL })).toMatchObject({ status: 404, text: '' });
  });
});

const UTF8 = new TextEncoder();

describe.each([
  ['submit', SUBMIT, asEnvelope([])],
  ['cancel', CANCEL, { documentId: UNKNOWN_ID }],
])('the body of %s', (_, path, body) => {
  it.each([
    ['is not sent as text', 'text/plain'],
    ['is not sent as a form', 'application/x-www-form-urlencoded'],
    ['is not sent as XML', 'application/xml'],
  ])('%s: 415', async (_title, type) => {
    expectRefused(await post(path, body, { headers: { 'Content-Type': type } }), 415, 'unsupported_media_type');
  });

  it('may say its character set', async () => {
    const { status } = await post(path, body, { headers: { 'Content-Type': 'application/json; charset=utf-8' } });
    expect([400, 404]).toContain(status);
  });

  it.each([
    ['is cut off', '{"documentId":'],
    ['has a comma too many', '{"documentId":"x",}'],
    ['has a comment', '{"documentId":"x"}//'],
    ['has a number that JSON does not know', '{"documentId":NaN}'],
  ])('is refused if it %s: 400 malformed_json', async (_title, text) => {
    expectRefused(await post(path, text), 400, 'malformed_json');
  });

  it('is refused if it is empty: 400', async () => {
    expect((await post(path, '')).status).toBe(400);
  });

  it('is refused if its bytes are not UTF-8: 400', async () => {
    const bytes = new Uint8Array([...UTF8.encode('{"documentId":"'), 0xff, 0xfe, ...UTF8.encode('"}')]);
    expectRefused(await post(path, bytes), 400, 'malformed_json');
  });

  it('is refused if it is a list: 400', async () => {
    expect((await post(path, [])).status).toBe(400);
  });
});

const UPLOADS_MAX = 5;

/** A service need not read such a body: if its response overtakes the upload, the client may see the connection break instead. */
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

describe('sizes', () => {
  it('of a submit above 10 MB are 413 body_too_large', async () => {
    const text = JSON.stringify(asEnvelope([consolidatedInvoice(number())], 'consolidated'));
    const body = text.padEnd(SUBMIT_BYTES_MAX + 1);
    expectRefused(await despiteBrokenUploads(() => post(SUBMIT, body)), 413, 'body_too_large');
  });

  it('of a cancel above 256 KB are 413 body_too_large', async () => {
    const text = JSON.stringify({ documentId: UNKNOWN_ID });
    expectRefused(await cancel(text.padEnd(CANCEL_BYTES_MAX + 1)), 413, 'body_too_large');
  });

  it('of a submit with 100 documents are within all limits', async () => {
    const documents = Array.from({ length: 100 }, () => consolidatedInvoice(number()));
    const { status, body, text } = await dryRun(documents, { type: 'consolidated' });
    expect(status, text).toBe(200);
    expect(body).toMatchObject({ dryRun: true, requiredCredits: 100 });
  });
});
