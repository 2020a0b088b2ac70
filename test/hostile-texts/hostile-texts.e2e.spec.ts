import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BODY_BYTES_MAX, PUBLIC_BODY_BYTES_MAX } from '../../src/http/json-body.js';
import { SMALL_BODY_BYTES_MAX } from '../../src/http/large-bodies.js';
import type { ApiResponse } from '../support/client.js';
import type { Browser } from '../support/dashboard.js';
import { startFileService } from '../support/file-service.js';
import { completeProfile, createOperator, organisation } from '../support/people.js';
import { type RawRequest, rawRequest } from '../support/raw-http.js';
import { insertKey } from '../support/tenants.js';
import { listTextFields, type TextField } from './fields.js';
import { chooseKind, createHarmlessText, createHostileTexts, createMixedText, type SizedText } from './texts.js';

// Requests must take linear time with any text (docs/security.md#long-texts). Compares the CPU time of a request with hostile text to that of a request with harmless text of the same length. `npm run check -- holes` sends each of the twelve
// texts to each field, and `npm test` one text per field.

const IS_FULL = process.env.HOLES === 'full';
const TIMEOUT_MS = IS_FULL ? 3_600_000 : 600_000;
/** Quadratic time exceeds this factor by far: about 100 ms for 12 KB, and 30 s for 250 KB. */
const FACTOR_MAX = 6;
const SLACK_MS = 25;
const TRIES = 8;
/** Node accepts at most 16 KB for the request line and headers. */
const HEADER_BYTES = 12 * 1024;

const service = await startFileService();
const owner = await organisation(service);
await completeProfile(service, owner.tenantId, 100_000);
const apiKey = await insertKey(service.owner, owner.tenantId);
const { browser: operator } = await createOperator(service);

type Build = (text: string) => RawRequest;

/** Returns the CPU time of the whole process, which includes the client. */
async function measure(request: RawRequest): Promise<{ milliseconds: number; response: ApiResponse }> {
  await service.owner.query('DELETE FROM sign_in_throttle');
  const before = process.cpuUsage();
  const response = await rawRequest(service, request);
  const { user, system } = process.cpuUsage(before);
  return { milliseconds: (user + system) / 1_000, response };
}

/**
 * Measures the harmless text only if the hostile text takes long.
 * @throws AssertionError if the hostile text is much slower in every try
 */
async function expectLinear(build: Build, { name, text }: SizedText, bytes: number): Promise<ApiResponse> {
  let harmless = Infinity;
  let hostile = Infinity;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const { milliseconds, response } = await measure(build(text));
    hostile = Math.min(hostile, milliseconds);
    if (hostile <= SLACK_MS) return response;
    harmless = Math.min(harmless, (await measure(build(createHarmlessText(bytes).text))).milliseconds);
    if (hostile <= harmless * FACTOR_MAX + SLACK_MS) return response;
  }
  expect.fail(`${name}: ${hostile.toFixed(0)} ms, but ${harmless.toFixed(0)} ms for letters`);
}

function chooseSender({ path }: Pick<TextField, 'path'>): Record<string, string> {
  if (path.startsWith('/api/v1/')) return { 'X-API-Key': apiKey };
  const { cookie, session }: Browser = path.startsWith('/api/dashboard/operator/') ? operator : owner.browser;
  return { Cookie: String(cookie), 'X-CSRF-Token': String(session?.csrfToken) };
}

const PATH_VALUES: Readonly<Record<string, string>> = {
  tenantId: owner.tenantId,
  environment: 'sandbox',
  tin: 'C9876543210',
  list: 'states',
};

function fillPath(path: string, changed: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => changed[name] ?? PATH_VALUES[name] ?? randomUUID());
}

function createBuild(field: TextField): Build {
  const { path, method, kind, name, buildBody } = field;
  const example = method === 'POST' ? (): unknown => ({}) : undefined;
  const build = buildBody ?? example;
  const headers = {
    ...chooseSender(field),
    ...(build === undefined ? {} : { 'Content-Type': 'application/json', 'idempotency-key': randomUUID() }),
  };
  return (text) => {
    const encoded = kind === 'query' || kind === 'path' ? encodeURIComponent(text) : '';
    const query = kind === 'query' ? `?${name}=${encoded}` : path.endsWith('/submit') ? '?dryRun=true' : '';
    return {
      method,
      path: fillPath(path, kind === 'path' ? { [name]: encoded } : {}) + query,
      headers: Object.entries(headers),
      body: build === undefined ? undefined : JSON.stringify(build(text)),
    };
  };
}

/** Returns the maximum text length that the operation accepts in this field. */
function findRoom(field: TextField): number {
  if (field.kind === 'query' || field.kind === 'path') return HEADER_BYTES;
  const isOfOrganisation = /^\/api\/(?:v1|dashboard\/organisations\/\{tenantId\})\//.test(field.path);
  const bytesMax = isOfOrganisation ? SMALL_BODY_BYTES_MAX : PUBLIC_BODY_BYTES_MAX;
  return bytesMax - Buffer.byteLength(JSON.stringify(field.buildBody?.('')));
}

const measureJson = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;
const measureUrl = (text: string): number => encodeURIComponent(text).length;

function chooseTexts(field: TextField, bytes: number): SizedText[] {
  const { kind, name } = field;
  const isInBody = kind === 'member' || kind === 'name';
  const texts = createHostileTexts(bytes, isInBody ? measureJson : measureUrl);
  if (IS_FULL) return texts;
  const others = fields.filter((other) => other.kind === kind && readLastName(other) === readLastName(field));
  const chosen = chooseKind(name, { occurrence: others.indexOf(field), turn: fields.indexOf(others[0]) });
  // A mixed text in a small body would contain too little of each kind.
  return isInBody && bytes > PUBLIC_BODY_BYTES_MAX ? [createMixedText(bytes, measureJson, chosen)] : [texts[chosen]];
}

function readLastName({ name }: TextField): string | undefined {
  return name.split('/').findLast((token) => token !== '0');
}

const HEADERS = [
  'Accept-Encoding',
  'Authorization',
  'Content-Type',
  'Cookie',
  'If-None-Match',
  'Origin',
  'Prefer',
  'Referer',
  'Sec-Fetch-Site',
  'User-Agent',
  'X-API-Key',
  'X-CSRF-Token',
  'X-Forwarded-For',
  'X-Request-Id',
  'idempotency-key',
  'traceparent',
];

/** A submit, a poll, and a compressed list of the dashboard. */
const HEADED = [
  {
    method: 'POST',
    path: '/api/v1/einvoice/submit?dryRun=true',
    headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json', 'idempotency-key': randomUUID() },
    body: '{}',
  },
  {
    method: 'GET',
    path: `/api/v1/saas/submissions/${randomUUID()}/status`,
    headers: { 'X-API-Key': apiKey },
  },
  {
    method: 'GET',
    path: fillPath('/api/dashboard/organisations/{tenantId}/{environment}/transactions'),
    headers: { ...chooseSender({ path: '/api/dashboard/' }), 'Sec-Fetch-Site': 'same-origin' },
  },
];

/** Expects the field in the response, which proves that the service has validated it. */
function expectJudged({ kind, name }: TextField, { text, body }: ApiResponse): void {
  if (kind === 'query') expect(text.slice(0, 500)).toContain(name);
  if (kind !== 'member') return;
  const pointers = ((body.details ?? []) as { pointer: string }[]).map(({ pointer }) => pointer);
  expect(pointers, text.slice(0, 500)).toContain(name);
}

const fields = listTextFields();
const operations = [...new Set(fields.map(({ operationId }) => operationId))];

describe('processing of a hostile text', { timeout: TIMEOUT_MS }, () => {
  it.each(operations)('takes linear time in every text field of %s', async (operationId) => {
    const own = fields.filter((field) => field.operationId === operationId);
    for (const field of own) {
      const bytes = findRoom(field);
      for (const text of chooseTexts(field, bytes)) {
        expectJudged(field, await expectLinear(createBuild(field), text, bytes));
      }
    }
  });

  it.each(['submit', 'submitDocuments'])('takes linear time in a body of 10 MB of %s', async (operationId) => {
    const own = fields.filter((field) => field.operationId === operationId && field.kind === 'member');
    for (const field of IS_FULL ? own : own.filter(({ name }) => name.endsWith('/brn'))) {
      const bytes = findRoom(field) - SMALL_BODY_BYTES_MAX + BODY_BYTES_MAX;
      const texts = IS_FULL ? createHostileTexts(bytes, measureJson) : [createMixedText(bytes, measureJson)];
      for (const text of texts) expectJudged(field, await expectLinear(createBuild(field), text, bytes));
    }
  });

  it.each(HEADERS)('takes linear time in the header %s', async (header) => {
    const index = HEADERS.indexOf(header);
    const texts = createHostileTexts(HEADER_BYTES, Buffer.byteLength);
    for (const text of IS_FULL ? texts : [texts[index % texts.length]]) {
      for (const request of HEADED) {
        const build: Build = (value) => {
          const others = Object.entries(request.headers).filter(([name]) => name !== header);
          // Header values are bytes, so each byte of the UTF-8 text becomes one character.
          return { ...request, headers: [...others, [header, Buffer.from(value).toString('latin1')]] };
        };
        await expectLinear(build, text, HEADER_BYTES);
      }
    }
  });
});
