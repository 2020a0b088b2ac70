import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createTenant, expectProblem, refused, submit } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { rawBytes, rawRequest, type RawRequest } from '../support/raw-http.js';
import { openConnection } from '../support/raw-connection.js';
import { startFileService } from '../support/file-service.js';

// The response to any hostile request is a 4xx in JSON, without stored data
// (docs/rules.md#error-responses, docs/rules.md#body-rules).

const SUBMIT = '/api/v1/einvoice/submit';
const CANCEL = '/api/v1/einvoice/cancel';
const MEGABYTE = 1024 * 1024;

const service = await startFileService();
const tenant = await createTenant(service);

afterEach(async () => {
  expect((await submit(service, tenant, [invoice()])).status, 'the service goes on').toBe(200);
});

type Headers = [string, string][];

function hostile(raw: Partial<RawRequest>, headers: Headers = [['Content-Type', 'application/json']]): RawRequest {
  return {
    path: SUBMIT,
    ...raw,
    headers: [['X-API-Key', tenant.apiKey], ['idempotency-key', randomUUID()], ...headers, ...(raw.headers ?? [])],
  };
}

/** Replaces one field of the body with a JSON text. */
function withMember(name: string, json: string): string {
  const document = { ...invoice(), [name]: '@' };
  return JSON.stringify({ submission_type: 'non-consolidated', documents: [document] }).replace('"@"', () => json);
}

async function expectRefused(raw: RawRequest, status: number): Promise<void> {
  const response = await refused(service, tenant, () => rawRequest(service, raw));
  expect(response.status, response.text).toBe(status);
}

describe.each([SUBMIT, CANCEL])('malformed body for %s', (path) => {
  const bodies: [title: string, body: string | Buffer][] = [
    ['empty', ''],
    ['white space', ' \n\t '],
    ['not JSON', 'submission_type=consolidated'],
    ['cut off', '{"documents":[{"documentType":"invo'],
    ['with a trailing comma', '{"documents":[],}'],
    ['with a comment', '{/* */}'],
    ['two values', '{}{}'],
    ['a NUL byte', Buffer.from([0])],
    ['a NUL byte after the object', '{}\0'],
    ['NaN', '{"documents":NaN}'],
    ['an array', '[]'],
    ['an array of 100,000 arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['100,000 open brackets', '['.repeat(100_000)],
    ['40,000 nested objects', `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`],
    ['null', 'null'],
    ['true', 'true'],
    ['a number', '1e400'],
    ['a string', '"{}"'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['an overlong UTF-8 sequence', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['UTF-16', Buffer.from('﻿{"documents":[]}', 'utf16le')],
    ['a byte order mark twice', '﻿﻿{}'],
  ];

  it.each(bodies)('returns 400: %s', (_, body) => expectRefused(hostile({ path, body }), 400));
});

describe('document field', () => {
  const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const members: [title: string, member: string, json: string][] = [
    ['a text with a NUL character', 'referenceId', '"INV\\u00001"'],
    ['a text with a lone high surrogate', 'referenceId', '"INV\\ud800"'],
    ['a text with a lone low surrogate', 'referenceId', '"\\udc00INV"'],
    ['a text with a line break', 'referenceId', '"INV\\n1"'],
    ['a text of a million characters', 'referenceId', JSON.stringify('x'.repeat(1_000_000))],
    ['white space only', 'referenceId', '"   "'],
    ['an object instead of a text', 'referenceId', '{"toString":1}'],
    ['infinity, as 1e400', 'totalDiscountAmount', '1e400'],
    ['minus infinity, as -1e400', 'totalRoundingAmount', '-1e400'],
    ['a number of 400 digits', 'totalDiscountAmount', '9'.repeat(400)],
    ['a number with 400 decimals', 'totalDiscountAmount', `0.${'1'.repeat(400)}`],
    ['the smallest number', 'totalDiscountAmount', '5e-324'],
    ['10^13', 'totalDiscountAmount', '10000000000000'],
    ['a negative amount', 'totalDiscountAmount', '-0.01'],
    ['an amount as a text', 'totalDiscountAmount', '"1.00"'],
    ['a boolean amount', 'totalDiscountAmount', 'true'],
    ['lines nested deeper than a body may be', 'lineItems', deep(21)],
    ['lines that are a text', 'lineItems', '"lines"'],
    ['lines that pretend to be an array', 'lineItems', '{"length":1,"0":{}}'],
    ['100,000 empty lines', 'lineItems', `[${Array<string>(100_000).fill('{}').join()}]`],
    ['lines that are null', 'lineItems', '[null]'],
    ['a recipient that is an array', 'recipient', '[]'],
    ['a recipient that is null', 'recipient', 'null'],
    ['a date that is a number', 'document_date', '20260101'],
    ['a date in the year 9999', 'document_date', '"9999-12-31"'],
    ['30 February', 'document_date', '"2026-02-30"'],
    ['a document type of the prototype', 'documentType', '"constructor"'],
    ['a prototype as its type', 'documentType', '{"__proto__":null}'],
  ];

  it.each(members)('with %s returns 400', (_, member, json) =>
    expectRefused(hostile({ body: withMember(member, json) }), 400),
  );

  it.each([
    ['-0', 'totalDiscountAmount', '-0'],
    ['an own member named __proto__', '__proto__', '{"referenceId":"X"}'],
    ['an own member named constructor', 'constructor', '{"prototype":{"polluted":true}}'],
    ['an unknown member with a NUL character', 'note', '"\\u0000"'],
    ['a repeated member with the same value', 'totalDiscountAmount', '0,"totalDiscountAmount":0'],
  ])('with %s is harmless', async (_, member, json) => {
    const response = await rawRequest(service, hostile({ body: withMember(member, json) }));
    expect(response.status, response.text).toBe(200);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('is accepted after a byte order mark', async () => {
    const body = `﻿${withMember('note', '1')}`;
    expect((await rawRequest(service, hostile({ body }))).status).toBe(200);
  });

  it('is accepted in a chunked body', async () => {
    const text = withMember('note', '1');
    const response = await rawRequest(service, hostile({ body: [text.slice(0, 40), text.slice(40)] }));
    expect(response.status, response.text).toBe(200);
  });
});

describe('content headers', () => {
  const types: [title: string, headers: Headers, status: number][] = [
    ['missing', [], 415],
    ['text/plain', [['Content-Type', 'text/plain']], 415],
    ['a form', [['Content-Type', 'application/x-www-form-urlencoded']], 415],
    ['a multipart form', [['Content-Type', 'multipart/form-data; boundary=x']], 415],
    ['XML', [['Content-Type', 'application/xml']], 415],
    ['application/json5', [['Content-Type', 'application/json5']], 415],
    ['nonsense', [['Content-Type', ';;;']], 415],
    ['empty', [['Content-Type', '']], 415],
  ];

  it.each(types)('are rejected: %s', (_, headers, status) =>
    expectRefused(hostile({ body: withMember('note', '1') }, headers), status),
  );

  it('may specify application/json with a charset', async () => {
    const headers: Headers = [['Content-Type', 'application/json; charset=utf-8']];
    expect((await rawRequest(service, hostile({ body: withMember('note', '1') }, headers))).status).toBe(200);
  });

  it.each([SUBMIT, CANCEL])('are rejected if a body to %s is compressed', async (path) => {
    for (const encoding of ['gzip', 'GZIP', 'br', 'identity, gzip', 'x'.repeat(1_000)]) {
      const headers: Headers = [['Content-Encoding', encoding]];
      const raw = hostile({ path, body: gzipSync(withMember('note', '1')), headers });
      const response = await refused(service, tenant, () => rawRequest(service, raw));
      expect(response.status, encoding).toBe(415);
      expect(response.text).toMatch(/sent with Content-Encoding: .{1,40}, .*send it uncompressed/);
    }
  });

  it('are both reported for a compressed body without a Content-Type', async () => {
    const body = gzipSync(withMember('note', '1'));
    const headers: Headers = [
      ['X-API-Key', tenant.apiKey],
      ['idempotency-key', randomUUID()],
      ['Content-Encoding', 'gzip'],
    ];
    const response = await rawRequest(service, { method: 'POST', path: SUBMIT, body, headers });
    expect(response.status).toBe(415);
    expect(response.text).toContain('uncompressed with Content-Type: application/json, without Content-Encoding');
  });

  it.each(['identity', '', 'Identity, identity'])('may specify Content-Encoding: %j', async (encoding) => {
    const headers: Headers = [['Content-Encoding', encoding]];
    expect((await rawRequest(service, hostile({ body: withMember('note', '1'), headers }))).status).toBe(200);
  });
});

describe('large request', () => {
  it('returns 413 if the body exceeds 10 MB by one byte', () =>
    expectRefused(hostile({ body: withMember('note', '1').padEnd(10 * MEGABYTE + 1) }), 413));

  it('returns 413 if a chunked body exceeds 10 MB by one byte', () => {
    const chunk = ' '.repeat(MEGABYTE);
    return expectRefused(hostile({ body: [withMember('note', '1'), ...Array<string>(10).fill(chunk)] }), 413);
  });

  it('returns 400 if the body is 10 MB of brackets', () => {
    const depth = 5 * MEGABYTE - 1;
    return expectRefused(hostile({ body: '['.repeat(depth) + ']'.repeat(depth) }), 400);
  });

  it('is accepted if the body is exactly 10 MB', async () => {
    const response = await rawRequest(service, hostile({ body: withMember('note', '1').padEnd(10 * MEGABYTE) }));
    expect(response.status, response.text).toBe(200);
  });

  it('returns 414 or 431 if the path is too long', async () => {
    const response = await rawRequest(service, hostile({ method: 'GET', path: `/api/${'x'.repeat(100_000)}` }));
    expect([414, 431]).toContain(response.status);
    expectProblem(response);
  });

  it('returns 431 if the headers are too long', async () => {
    const response = await rawRequest(service, hostile({ method: 'GET', headers: [['X-Long', 'x'.repeat(100_000)]] }));
    expect(response.status).toBe(431);
    expectProblem(response);
  });
});

describe('routes and methods', () => {
  const status = (id: string): string => `/api/v1/saas/submissions/${id}/status`;
  const requests: [title: string, method: string, path: string, status: number | number[]][] = [
    ['the base address', 'GET', '/api', 404],
    ['an unknown route', 'GET', '/api/v1/einvoice', 404],
    ['an unknown version', 'POST', '/api/v2/einvoice/submit', 404],
    ['another spelling of a route', 'POST', '/api/v1/EInvoice/Submit', 404],
    ['a route of the prototype', 'GET', '/api/__proto__', 404],
    ['a path that climbs', 'GET', '/api/../../etc/passwd', 404],
    ['a path that climbs in disguise', 'GET', '/api/docs/%2e%2e%2f%2e%2e%2fpackage.json', [400, 404]],
    ['a method that no route has, of an unknown route', 'PROPFIND', '/api/nowhere', 404],
    ['a method that no route has, of a broken escape', 'PROPFIND', '/api/%zz', 400],
    ['a status of what is no UUID', 'GET', status('1'), 400],
    ['a status of a UUID and more', 'GET', status(`${randomUUID()}x`), 400],
    ['a status of a UUID in braces', 'GET', status(`{${randomUUID()}}`), 400],
    ['a status of SQL', 'GET', status("'%20OR%201=1--"), 400],
    ['a status of %00', 'GET', status('%00'), 400],
    ['a status of a slash in disguise', 'GET', status('%2f'), 400],
    ['a status of a broken escape', 'GET', status('%zz'), 400],
    ['a status of a cut-off escape', 'GET', status('%'), 400],
    ['a status of invalid UTF-8', 'GET', status('%ff%fe'), 400],
    ['a status of 10,000 characters', 'GET', status('a'.repeat(10_000)), [400, 404, 414]],
  ];

  it.each(requests)('return a 4xx: %s %s', async (_, method, path, expected) => {
    const raw = { method, path, headers: [['X-API-Key', tenant.apiKey]] as Headers };
    const response = await rawRequest(service, raw);
    expect([expected].flat(), response.text).toContain(response.status);
    expectProblem(response);
  });

  it.each([
    ['GET', SUBMIT, 'POST'],
    ['HEAD', SUBMIT, 'POST'],
    ['PUT', SUBMIT, 'POST'],
    ['DELETE', `${SUBMIT}/?dryRun=true`, 'POST'],
    ['PATCH', CANCEL, 'POST'],
    ['OPTIONS', SUBMIT, 'POST'],
    ['TRACE', SUBMIT, 'POST'],
    ['PROPFIND', '/api/v1/einvoice/%73ubmit', 'POST'],
    ['POST', status(randomUUID()), 'GET, HEAD'],
    ['DELETE', '/api/v1/einvoice/validate-taxpayer-tin/C1%2F2', 'GET, HEAD'],
    ['POST', '/api/health/live', 'GET, HEAD'],
    ['PUT', '/api/dashboard/organisations/1/sandbox/transactions', 'GET, HEAD'],
  ])('return 405 with Allow for %s of %s', async (method, path, allowed) => {
    // Without a key, because the route is checked first.
    const response = await rawRequest(service, { method, path });
    expect([response.status, response.headers.get('allow')], response.text).toEqual([405, allowed]);
    if (method !== 'HEAD') expect(response.text).toContain('"code":"method_not_allowed"');
  });

  it('return 404 without a body for a HEAD of an unknown route', async () => {
    const response = await rawRequest(service, { method: 'HEAD', path: '/api/nowhere' });
    expect(response.status).toBe(404);
    expect(response.text).toBe('');
  });
});

describe('malformed HTTP', () => {
  it.each([
    ['noise', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x0d, 0x0a, 0x0d, 0x0a])],
    ['a header without a colon', 'GET /api/health/live HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n'],
    [
      'two lengths',
      'POST /api/v1/einvoice/submit HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    ],
    [
      'a length and chunks',
      'POST /api/v1/einvoice/submit HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a request without a host', 'GET /api/health/live HTTP/1.1\r\n\r\n'],
  ])('returns a 4xx: %s', async (_, bytes) => {
    expect(await rawBytes(service, bytes)).toMatch(/^HTTP\/1\.1 4\d\d /);
  });
});

describe('HTTP parser error', () => {
  it.each([
    ['a request without a host', 'GET /api/health/live HTTP/1.1\r\n\r\n', 400],
    ['an expectation that no server knows', 'GET /api/nowhere HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n', 404],
  ])("returns the service's error body: %s", async (_, bytes, status) => {
    const connection = openConnection(service);
    connection.write(bytes);
    const response = await connection.response();
    connection.destroy();
    expect(response.status).toBe(status);
    expectProblem(response);
  });
});

it.each(['%00', '%2f', '%2e%2e', '%0d%0aX-Injected:1', "'%20OR%201=1--", 'C'.repeat(190), '%f0%9f%92%a9'])(
  'TIN check of %s causes no internal error',
  async (tin) => {
    const path = `/api/v1/einvoice/validate-taxpayer-tin/${tin}?idType=BRN&idValue=%00`;
    const response = await rawRequest(service, { method: 'GET', path, headers: [['X-API-Key', tenant.apiKey]] });
    expect([200, 400], response.text).toContain(response.status);
    expect(response.headers.get('x-injected')).toBeNull();
  },
);
