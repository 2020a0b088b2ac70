import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, request as sendRequest } from 'node:http';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDataSource } from '../../src/database/data-source.js';
import { createTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { type StartedServer, startApiProcess } from '../support/processes.js';
import { buildPrograms, REPOSITORY, startProgram } from '../support/program.js';
import { TestService } from '../support/service.js';
import type { TestTenant } from '../support/tenants.js';

const TIMEOUT_MS = 180_000;
const PRLIMIT = '/usr/bin/prlimit';
const ASSETS = path.join(REPOSITORY, 'dist/dashboard/assets');
const LARGE_BYTES = 300_000;
// The breaker opens after five failures.
const FAILURES = 6;

interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly code?: string; readonly message?: string; readonly valid?: boolean };
}

let service: TestService;
let api: StartedServer;
let tenant: TestTenant;
// A process without free descriptors cannot accept connections.
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  await buildPrograms();
  service = await TestService.start();
  tenant = await createTenant(service);
  api = await startApiProcess({ ...service.settings, LOG_LEVEL: 'info' });
}, TIMEOUT_MS);
afterAll(async () => {
  agent.destroy();
  await api?.stop();
  await service?.stop();
});
beforeEach(async () => {
  expect(await send('GET', '/api/v1/saas/submissions/018f0000-0000-7000-8000-000000000000/status')).toMatchObject({
    status: 404,
  });
});
afterEach(() => limitDescriptors(4_096));

/** Standard input, output and error use the only three descriptors. */
function exhaustDescriptors(): void {
  limitDescriptors(3);
}

function limitDescriptors(count: number): void {
  execFileSync(PRLIMIT, ['--pid', String(api.processId), `--nofile=${count}:`]);
}

function send(method: string, address: string, body?: object): Promise<Response> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    'X-API-Key': tenant.apiKey,
    'idempotency-key': 'the-same',
    ...(body && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
  };
  return new Promise((resolve, reject) => {
    const sent = sendRequest(new URL(address, api.url), { method, agent, headers }, (response) => {
      let received = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
      response.once('end', () => {
        const isJson = response.headers['content-type']?.startsWith('application/json') ?? false;
        const parsed = isJson ? (JSON.parse(received) as Response['body']) : {};
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: parsed });
      });
    });
    sent.once('error', reject).end(text);
  });
}

/** Ends the database connections of the API. */
async function endConnections(): Promise<void> {
  const own = await createDataSource({
    url: service.database.appUrl,
    poolSize: 1,
    applicationName: 'test',
  }).initialize();
  await own.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()`,
  );
  await own.destroy();
}

function buildBody(): object {
  return { submission_type: 'non-consolidated', documents: [invoice()] };
}

const BUSY = {
  status: 503,
  headers: { 'retry-after': '2' },
  body: {
    code: 'service_unavailable',
    message: expect.stringContaining('too many connections and files open') as string,
  },
};

describe.skipIf(!existsSync(PRLIMIT))('a process with a limit of 60 open files', { timeout: TIMEOUT_MS }, () => {
  it.each([
    ['api', ['dist/src/processes/api.js']],
    ['dispatcher', ['dist/src/processes/dispatcher.js']],
    ['npm start', ['scripts/run.mjs', 'standalone/start']],
    ['npm run demo', ['scripts/run.mjs', 'standalone/demo']],
    ['npm run simulator', ['scripts/run.mjs', 'simulator/main']],
  ])('reports the limit and exits (%s)', async (_, [entry, ...parameters]) => {
    const words = [path.join(REPOSITORY, entry), ...parameters];
    const program = startProgram(words, {}, { prefix: [PRLIMIT, '--nofile=60'] });
    expect(await program.ended).toEqual({ exitCode: 1, signal: null });
    expect(program.error.trim()).toBe(
      'The limit of 60 open files is too low: raise it to 4096, for example with "ulimit -n 4096"',
    );
  });
});

describe.skipIf(!existsSync(PRLIMIT))('an API without free file descriptors', { timeout: TIMEOUT_MS }, () => {
  it('returns 503 if a request needs a new database connection', async () => {
    const submit = (): Promise<Response> => send('POST', '/api/v1/einvoice/submit', buildBody());
    exhaustDescriptors();
    await endConnections();
    // The first request may still find a connection that has just ended.
    await expect.poll(submit).toMatchObject(BUSY);
    limitDescriptors(4_096);
    await expect.poll(submit).toMatchObject({ status: 200 });
  });

  it('returns 503 if a body needs a new worker thread', async () => {
    const large = { ...buildBody(), ignored: 'x'.repeat(LARGE_BYTES) };
    exhaustDescriptors();
    expect(await send('POST', '/api/v1/einvoice/submit', large)).toMatchObject(BUSY);
    limitDescriptors(4_096);
    // On a busy machine, a worker thread that starts too slowly also leads to a 503.
    await expect.poll(() => send('POST', '/api/v1/einvoice/submit?dryRun=true', large)).toMatchObject({ status: 200 });
  });

  // Without a built dashboard there are no files to serve.
  it.skipIf(!existsSync(ASSETS))('returns 503 for a dashboard file', async () => {
    const [file = ''] = readdirSync(ASSETS).filter((name) => name.endsWith('.js'));
    exhaustDescriptors();
    expect(await send('GET', `/dashboard/assets/${file}`)).toMatchObject(BUSY);
    limitDescriptors(4_096);
    expect(await send('GET', `/dashboard/assets/${file}`)).toMatchObject({ status: 200 });
  });

  it('does not open the circuit breaker of the authority', async () => {
    const check = (): Promise<Response> =>
      send('GET', '/api/v1/einvoice/validate-taxpayer-tin/C9876543210?idType=BRN&idValue=202001234567');
    exhaustDescriptors();
    for (let failed = 0; failed < FAILURES; failed += 1) expect(await check()).toMatchObject({ status: 503 });
    limitDescriptors(4_096);
    expect(await check()).toMatchObject({ status: 200, body: { valid: true } });
  });
});
