import { randomUUID } from 'node:crypto';
import { type EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { DataSource, type EntityManager } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { isDatabaseUnavailable } from '../../src/errors/database-unavailable.js';
import { BODY_BYTES_MAX, DISCARDED_BYTES_MAX } from '../../src/http/json-body.js';
import { LARGE_BODIES_BYTES_MAX } from '../../src/http/large-bodies.js';
import { type ApiResponse, createTenant, expectProblem, refused, submit } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { retryWhileBusy } from '../support/retry-while-busy.js';
import { rawRequest } from '../support/raw-http.js';
import { startFileService } from '../support/file-service.js';

// docs/rules.md#body-limits under load: large bodies are limited in number and content, and do not affect
// other organisations.

const SUBMIT = '/api/v1/einvoice/submit';
const LOST_MS_MAX = 120_000;
/** Number of 10 MB bodies that are processed at the same time. */
const IN_HAND = Math.floor(LARGE_BODIES_BYTES_MAX / BODY_BYTES_MAX);

const service = await startFileService();
const tenant = await createTenant(service);

function send(body: string, path = SUBMIT): Promise<ApiResponse> {
  const headers: [string, string][] = [
    ['X-API-Key', tenant.apiKey],
    ['Content-Type', 'application/json'],
    ['idempotency-key', randomUUID()],
  ];
  return retryWhileBusy(() => rawRequest(service, { path, headers, body }));
}

function submitSmall(): Promise<ApiResponse> {
  const [key, documents] = [randomUUID(), [invoice()]];
  return retryWhileBusy(() => submit(service, tenant, documents, { key }));
}

function largeBody(): string {
  return JSON.stringify({ submission_type: 'non-consolidated', documents: [invoice()] }).padEnd(BODY_BYTES_MAX);
}

function expectOverShare(response: ApiResponse): void {
  expect(response.status, response.text).toBe(429);
  expectProblem(response);
  expect(response.body.code).toBe('large_body_share_exceeded');
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
}

describe('concurrent 10 MB bodies', () => {
  it("are accepted up to the organisation's share without affecting small submits", async () => {
    const state = { isOver: false };
    const flood = Promise.all(Array.from({ length: 3 * IN_HAND }, () => send(largeBody()))).finally(() => {
      state.isOver = true;
    });
    const small: number[] = [];
    while (!state.isOver) small.push((await submitSmall()).status);
    const responses = await flood;
    expect(new Set(small)).toEqual(new Set([200]));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 429]));
    for (const refusal of responses.filter(({ status }) => status !== 200)) expectOverShare(refusal);
  });

  it('release their share after they are accepted', async () => {
    for (let turn = 0; turn <= IN_HAND; turn += 1) expect((await send(largeBody())).status).toBe(200);
  });

  it('release their share after they are rejected', async () => {
    for (let turn = 0; turn <= IN_HAND; turn += 1) expect((await send('x'.repeat(BODY_BYTES_MAX))).status).toBe(400);
    expect((await send(largeBody())).status).toBe(200);
  });
});

describe('10 MB body that exceeds a parser limit', () => {
  const filled = (open: string, buildItem: (index: number) => string, close: string): string => {
    const items: string[] = [];
    for (let bytes = 2; ; bytes += (items.at(-1)?.length ?? 0) + 1) {
      const item = buildItem(items.length);
      if (bytes + item.length + 1 > BODY_BYTES_MAX) return open + items.join() + close;
      items.push(item);
    }
  };
  const values = '524,288 values';
  const bodies: [title: string, limit: string, body: () => string][] = [
    ['empty arrays', values, () => filled('[', () => '[]', ']')],
    ['empty objects', values, () => filled('[', () => '{}', ']')],
    ['numbers', values, () => filled('[', () => '0.1', ']')],
    ['one member again and again', values, () => filled('{', () => '"a":1', '}')],
    ['an object of a million members', values, () => filled('{', (index) => `"${index.toString(36)}":1`, '}')],
    ['objects that differ', values, () => filled('[', (index) => `{"${index.toString(36)}":1}`, ']')],
    ['brackets', '20 levels', () => '['.repeat(BODY_BYTES_MAX)],
  ];

  it.each(bodies)('returns 400 and names the limit: %s', async (_, limit, body) => {
    const response = await refused(service, tenant, () => send(body()));
    expect(response.status, response.text.slice(0, 500)).toBe(400);
    expect(response.body).toMatchObject({ code: 'malformed_json', message: expect.stringContaining(limit) });
  });
});

describe('client that sends a too large body before reading the response', () => {
  const body = ' '.repeat(DISCARDED_BYTES_MAX - 1_024);
  const headers = () => ({ 'X-API-Key': tenant.apiKey, 'Content-Type': 'application/json', 'idempotency-key': 'long' });

  it.each([
    ['a raw socket', {}, body],
    ['a raw socket that asks for the end of the connection', { Connection: 'close' }, body],
    [
      'a raw socket in chunks',
      { 'Transfer-Encoding': 'chunked' },
      `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ],
  ])('receives 413: %s', async (_, more, sent) => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const length = 'Transfer-Encoding' in more ? {} : { 'Content-Length': body.length };
    const head = Object.entries({ Host: 'x', ...headers(), ...length, ...more }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    socket.pause();
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.write(`POST ${SUBMIT} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
      socket.write(sent, () => resolve());
    });
    const response = once(socket, 'data') as Promise<[Buffer]>;
    socket.resume();
    const [first] = await response;
    expect(first.toString('utf8').split('\r\n', 1)[0]).toBe('HTTP/1.1 413 Payload Too Large');
    socket.destroy();
  });

  it('receives 413 with fetch and can reuse the connection', async () => {
    const response = await fetch(`${service.url}/v1/einvoice/submit`, { method: 'POST', headers: headers(), body });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([413, 'body_too_large']);
    expect(response.headers.get('connection')).not.toBe('close');
  });

  it('is disconnected after 32 MB', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const head = Object.entries({ Host: 'x', ...headers(), 'Transfer-Encoding': 'chunked' });
    socket.write(`POST ${SUBMIT} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n`);
    const mebibyte = `100000\r\n${' '.repeat(1_048_576)}\r\n`;
    const closed = new Promise((resolve) => socket.once('error', () => undefined).once('close', resolve));
    socket.resume();
    let sent = 0;
    for (let isRefused = false; !isRefused && sent < 200; sent += 1) {
      isRefused = await new Promise<boolean>((resolve) =>
        socket.write(mebibyte, (error) => resolve(error instanceof Error)),
      );
    }
    expect(sent).toBeLessThan(100);
    await closed;
  });
});

describe('connection lost during a database transaction', () => {
  /**
   * Runs `work` in a database transaction of the API. `terminate` ends the connection and resolves when PostgreSQL
   * confirms it.
   */
  function inLostTransaction(
    work: (tx: EntityManager, terminate: () => Promise<unknown>) => Promise<unknown>,
  ): Promise<unknown> {
    const database = service.api.get(DataSource);
    const failed = database.transaction(async (tx) => {
      const [{ pid }] = await tx.query<{ pid: number }[]>('SELECT pg_backend_pid() AS pid');
      await work(tx, () => database.query('SELECT pg_terminate_backend($1)', [pid]));
    });
    return failed.catch((error: unknown) => error);
  }

  it('is reported as an unreachable database between two statements', async () => {
    const error = await inLostTransaction(async (tx, terminate) => {
      const connection = (await tx.queryRunner?.connect()) as EventEmitter;
      const lost = once(connection, 'error', { signal: AbortSignal.timeout(LOST_MS_MAX) });
      await terminate();
      await lost;
      await tx.query('SELECT 1');
    });
    expect(error).toMatchObject({ name: 'QueryRunnerProviderAlreadyReleasedError' });
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it('is reported as an unreachable database during a statement', async () => {
    const error = await inLostTransaction((tx, terminate) =>
      Promise.all([tx.query('SELECT pg_sleep($1)', [LOST_MS_MAX / 1_000]), terminate()]),
    );
    expect(error).toBeInstanceOf(Error);
    expect(isDatabaseUnavailable(error), String(error)).toBe(true);
  });
});
