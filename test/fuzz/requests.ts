import fc from 'fast-check';
import { anyJson, hostileJson, mutated, submitBody } from '../errors/fuzz-bodies.js';
import type { RawRequest } from '../support/raw-http.js';
import { listOperations, type Operation } from './operations.js';
import type { Headers, Sender, Stage } from './people.js';

export interface FuzzRequest extends RawRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly sender: string;
  readonly operationId: string;
  readonly isOperator: boolean;
  /** Sends the request as bytes over a socket with these changes. */
  readonly changes?: readonly ByteChange[];
}

export interface ByteChange {
  readonly at: number;
  readonly removed: number;
  readonly text: string;
}

/** These operations end the sender's access, which would turn all later requests into 401 or 404. */
const ENDING = new Set(['signOut', 'leaveOrganisation']);

const HOSTILE_SEGMENTS = ['%00', '%2f', '%ff%fe', '%', '..', '%2e%2e', '__proto__', 'a'.repeat(199), 'a'.repeat(2_000)];
const HOSTILE_TEXTS = ['', ' ', '0', '-1', '1e9', "' OR 1=1--", '{"a":1}', '[]', 'null', '\u00ff', '9'.repeat(400)];
// A lone surrogate cannot be percent-encoded.
const encode = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '?'));

function pathOf({ path }: Operation, { ids, knownIds }: Stage): fc.Arbitrary<string> {
  const id = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...ids) },
    { weight: 3, arbitrary: fc.constantFrom(...knownIds) },
    { weight: 2, arbitrary: fc.uuid() },
    { weight: 1, arbitrary: fc.constantFrom(...HOSTILE_SEGMENTS) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }).map(encode) },
  );
  // Half of the requests use an organisation of the senders, because others are rejected early.
  const tenantId = fc.oneof({ weight: 4, arbitrary: fc.constant(ids[0]) }, { weight: 4, arbitrary: id });
  const environment = fc.constantFrom('sandbox', 'sandbox', 'sandbox', 'production', 'SANDBOX', '%00');
  const tin = fc.constantFrom('C9876543210', 'EI00000000010', 'c%209876543210', ...HOSTILE_SEGMENTS);
  const list = fc.constantFrom('states', 'countries', 'msic', 'constructor', ...HOSTILE_SEGMENTS);
  const special: Readonly<Record<string, fc.Arbitrary<string>>> = { tenantId, environment, tin, list };
  const parts = path
    .split(/\{(\w+)\}/)
    .map((part, index) => (index % 2 === 0 ? fc.constant(part) : (special[part] ?? id)));
  return fc.tuple(...parts).map((texts) => texts.join(''));
}

function queryOf({ query }: Operation, { ids, knownIds }: Stage): fc.Arbitrary<string> {
  const value = fc.oneof(
    fc
      .constantFrom(...HOSTILE_TEXTS, ...ids, ...knownIds, 'true', 'BRN', '202001234567', '2026-01-31', '%')
      .map(encode),
    fc.string({ unit: 'binary', maxLength: 60 }).map(encode),
    fc.constantFrom('%00', '%ff', '%C0%80', 'a&a=b', '[a]=1'),
  );
  const known = query.length === 0 ? [] : [fc.constantFrom(...query)];
  const name = fc.oneof(...known, fc.constantFrom('limit', 'cursor', '__proto__', 'idType', 'idValue'));
  const pair = fc.tuple(name, value).map(([given, text]) => `${given}=${text}`);
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant('') },
    { weight: 3, arbitrary: fc.array(pair, { minLength: 1, maxLength: 3 }).map((pairs) => `?${pairs.join('&')}`) },
    { weight: 1, arbitrary: fc.webQueryParameters().map((text) => `?${text}`) },
  );
}

// Only characters that Node's client can send. Raw sockets send the others.
const headerText = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) });

const HEADERS: readonly fc.Arbitrary<readonly [string, string]>[] = [
  fc.tuple(fc.constant('X-Forwarded-For'), fc.ipV4()),
  fc.tuple(fc.constant('X-Forwarded-For'), fc.oneof(fc.ipV6(), headerText)),
  fc.tuple(fc.constant('X-Request-Id'), headerText),
  fc.tuple(
    fc.constant('Prefer'),
    fc.constantFrom('wait=0', 'wait=x', 'wait=-1', 'handling=strict', 'wait=1e9x', ',;='),
  ),
  fc.tuple(fc.constant('If-None-Match'), fc.oneof(fc.constantFrom('*', '""', 'W/"1"', ',,'), headerText)),
  fc.tuple(fc.constant('Cookie'), headerText),
  fc.tuple(
    fc.constant('Authorization'),
    fc.oneof(
      headerText,
      headerText.map((text) => `Bearer ${text}`),
    ),
  ),
  fc.tuple(fc.constant('Content-Encoding'), fc.constantFrom('gzip', 'identity', 'br')),
  fc.tuple(fc.constant('Accept'), fc.constantFrom('text/html', 'application/xml', '*/*', '')),
  fc.tuple(fc.constant('Origin'), fc.constantFrom('http://thief.example', 'null')),
  fc.tuple(fc.constant('Range'), fc.constantFrom('bytes=0-1', 'bytes=9-1')),
  fc.tuple(fc.constantFrom('X-HTTP-Method-Override', 'X-Original-URL', 'X-Forwarded-Host'), headerText),
];

const CONTENT_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'application/x-www-form-urlencoded',
  '',
];

const contentType = fc
  .oneof(
    { weight: 12, arbitrary: fc.constant(CONTENT_TYPES[0]) },
    { weight: 1, arbitrary: fc.constantFrom(...CONTENT_TYPES) },
  )
  .map((value) => ['Content-Type', value] as const);

const idempotencyKey = fc
  .oneof(
    { weight: 8, arbitrary: fc.uuid() },
    { weight: 1, arbitrary: fc.constantFrom('same', '', 'x'.repeat(255), 'x'.repeat(256)) },
    { weight: 1, arbitrary: headerText },
  )
  .map((value) => ['idempotency-key', value] as const);

const change = fc.record({
  at: fc.nat(),
  from: fc.nat(),
  value: fc.oneof(hostileJson, anyJson),
  kind: fc.nat({ max: 3 }),
});

function bodyOf({ operationId, body }: Operation): fc.Arbitrary<string | Buffer | undefined> {
  if (body === undefined) {
    return fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constant('{}') });
  }
  const near = fc.array(change, { maxLength: 3 }).map((changes) => mutated(body, changes));
  const likely = operationId.startsWith('submit') ? submitBody() : near;
  const json = fc.oneof(
    { weight: 8, arbitrary: likely },
    { weight: 1, arbitrary: anyJson },
    { weight: 1, arbitrary: hostileJson },
  );
  const text = json.map((value) => JSON.stringify(value) ?? '');
  return fc.oneof(
    { weight: 20, arbitrary: text },
    { weight: 1, arbitrary: fc.tuple(text, fc.nat()).map(([whole, at]) => whole.slice(0, at % (whole.length + 1))) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: text.map((short) => short.padEnd(300_000)) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

const byteChanges = fc.array(
  fc.record({
    at: fc.nat(),
    removed: fc.integer({ min: 0, max: 8 }),
    text: fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        '\r\n',
        '\n',
        '\0',
        ':',
        ' ',
        '\r\n\r\n',
        'Transfer-Encoding: chunked\r\n',
        'Content-Length: 5\r\n',
      ),
      fc.constantFrom(
        'HTTP/9.9',
        'Host: y\r\n',
        'Expect: 100-continue\r\n',
        'Upgrade: websocket\r\n',
        '\u00ff',
        '0\r\n\r\n',
      ),
    ),
  }),
  { minLength: 1, maxLength: 4 },
);

function senderOf({ operationId, path, method }: Operation, stage: Stage): fc.Arbitrary<Sender> {
  const powerless = stage.senders.filter((sender) => !stage.endless.includes(sender));
  if (ENDING.has(operationId)) return fc.constantFrom(...powerless);
  // Operators only read, because they could change the hidden organisation.
  const operators = path.includes('/operator/') && method === 'GET' ? [stage.operator] : [];
  const isByPage = path.startsWith('/api/dashboard/');
  const fitting = stage.endless.filter(({ isSession }) => isSession === isByPage);
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...fitting, ...operators) },
    { weight: 1, arbitrary: fc.constantFrom(...stage.endless) },
    { weight: 2, arbitrary: fc.constantFrom(...powerless) },
  );
}

function requestTo(operation: Operation, stage: Stage): fc.Arbitrary<FuzzRequest> {
  const otherMethod = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'PROPFIND');
  return (
    fc
      .record({
        sender: senderOf(operation, stage),
        method: fc.oneof(
          { weight: 20, arbitrary: fc.constant(operation.method) },
          { weight: 1, arbitrary: otherMethod },
        ),
        path: fc.tuple(pathOf(operation, stage), queryOf(operation, stage)).map((parts) => parts.join('')),
        more: fc.array(fc.oneof(...HEADERS), { maxLength: 3 }),
        body: bodyOf(operation),
        typed: contentType,
        key: fc.option(idempotencyKey, { nil: undefined, freq: 8 }),
        changes: fc.option(byteChanges, { nil: undefined, freq: 8 }).map((changes) => changes),
        isRaw: fc.nat({ max: 9 }),
      })
      // A changed method must not end the session by chance.
      .map(({ sender, more, typed, key, changes, isRaw, body, method, path }) => ({
        method: ENDING.has(operation.operationId) ? operation.method : method,
        path,
        body,
        sender: sender.name,
        operationId: operation.operationId,
        isOperator: sender === stage.operator,
        headers: [
          ...sender.headers,
          ...(body === undefined ? [] : [typed]),
          ...(key === undefined ? [] : [key]),
          ...more,
        ],
        changes: isRaw === 0 ? changes : undefined,
      }))
  );
}

export function anyRequest(stage: Stage): fc.Arbitrary<FuzzRequest> {
  return fc.constantFrom(...listOperations()).chain((operation) => requestTo(operation, stage));
}

/** Serialises a request with its changes. */
export function toBytes({ method, path, headers, body, changes = [] }: FuzzRequest): Buffer {
  const length = typeof body === 'string' || Buffer.isBuffer(body) ? [['Content-Length', Buffer.byteLength(body)]] : [];
  const lines = [['Host', 'x'], ['Connection', 'close'], ...headers, ...length].map((pair) => pair.join(': '));
  let bytes = Buffer.concat([
    Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'), 'latin1'),
    Buffer.from((body ?? '') as string),
  ]);
  for (const { at, removed, text } of changes) {
    const from = at % (Math.min(bytes.length, 2_000) + 1);
    bytes = Buffer.concat([bytes.subarray(0, from), Buffer.from(text, 'utf8'), bytes.subarray(from + removed)]);
  }
  return bytes;
}
