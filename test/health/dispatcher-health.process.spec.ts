import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { accept, createTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { freePort } from '../support/ports.js';
import { REPOSITORY, startProgram } from '../support/program.js';
import { until } from '../support/until.js';
import { ProcessHarness } from '../dispatcher/processes.js';

// docs/monitoring.md#health

const TIMEOUT_MS = 120_000;

let harness: ProcessHarness;
beforeEach(async () => {
  harness = await ProcessHarness.start({ AUTHORITY_DEADLINE_SECONDS: '20', DISPATCH_LEASE_SECONDS: '40' });
}, TIMEOUT_MS);
afterEach(() => harness?.stop());

async function read(url: string, page: string): Promise<[number, Record<string, unknown>]> {
  const response = await fetch(`${url}/${page}`);
  return [response.status, (await response.json()) as Record<string, unknown>];
}

it(
  'a dispatcher is ready only after the migrations of its database',
  async () => {
    const { url } = await harness.dispatcher();
    expect(await read(url, 'live')).toEqual([200, { status: 'ok' }]);
    expect(await read(url, 'ready')).toEqual([200, { status: 'ok', database: 'ok', loops: 'ok' }]);
    const { owner } = harness.service;
    await owner.query('REVOKE SELECT ON schema_migration FROM einvoice_dispatcher');
    expect(await read(url, 'ready')).toMatchObject([503, { code: 'database_unavailable' }]);
    expect(await read(url, 'live')).toEqual([200, { status: 'ok' }]);
    await owner.query('GRANT SELECT ON schema_migration TO einvoice_dispatcher');
    expect((await read(url, 'ready'))[0]).toBe(200);
    await owner.query(`DELETE FROM schema_migration WHERE name LIKE 'Baseline%'`);
    expect(await read(url, 'ready')).toMatchObject([503, { code: 'migrations_missing' }]);
  },
  TIMEOUT_MS,
);

it(
  'a dispatcher is unready while all ticks of a loop fail',
  async () => {
    const { url } = await harness.dispatcher();
    const { owner } = harness.service;
    await owner.query('REVOKE SELECT ON tenant_queue FROM einvoice_dispatcher');
    await until('it names the loops', async () => (await read(url, 'ready'))[0] === 503);
    const [, body] = await read(url, 'ready');
    expect(body).toMatchObject({
      code: 'loops_failing',
      message: expect.stringMatching(/\bsubmit \(42501\)/) as string,
    });
    expect(await read(url, 'live')).toEqual([200, { status: 'ok' }]);
    await owner.query('GRANT SELECT ON tenant_queue TO einvoice_dispatcher');
    await until('it is ready again', async () => (await read(url, 'ready'))[0] === 200);
  },
  TIMEOUT_MS,
);

it(
  'a draining dispatcher is unready but serves its metrics',
  async () => {
    const dispatcher = await harness.dispatcher();
    const { url } = dispatcher;
    const release = harness.proxy.hold('submit', harness.proxy.after);
    await accept(harness.service, await createTenant(harness.service), [invoice()]);
    await until('the authority has taken the call', async () => (await harness.taken()).length === 1);
    dispatcher.kill('SIGTERM');
    await until('it drains', async () => (await read(url, 'ready'))[0] === 503);
    expect(await read(url, 'ready')).toMatchObject([503, { code: 'draining' }]);
    expect(await read(url, 'live')).toEqual([200, { status: 'ok' }]);
    expect(await fetch(`${url}/metrics`).then((response) => response.text())).toContain(
      'einvoice_dispatcher_work_total',
    );
    release();
    expect(await dispatcher.ended).toEqual({ exitCode: 0, signal: null });
  },
  TIMEOUT_MS,
);

it(
  'a dispatcher exits before its first call if METRICS_PORT is in use',
  async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    await accept(harness.service, await createTenant(harness.service), [invoice()]);
    const settings = { ...harness.settings, METRICS_PORT: String(port) };
    const program = startProgram([path.join(REPOSITORY, 'dist/src/processes/dispatcher.js')], settings);
    expect(await program.ended).toEqual({ exitCode: 1, signal: null });
    taken.close();
    expect(program.error.trim()).toBe(
      `Port ${port} is taken: set METRICS_PORT to a free port; the process did not start`,
    );
    expect(harness.proxy.listCalls('token')).toEqual([]);
    expect(await harness.count('authority_submission', 'true')).toBe(0);
    // With a free port, the same settings cause a login and a call.
    await harness.dispatcher();
    await harness.untilAll('Valid');
    expect(harness.proxy.listCalls('token')).toHaveLength(1);
  },
  TIMEOUT_MS,
);

it(
  'a failed start explains how to fix a missing table or grant',
  async () => {
    const start = async (): Promise<string> => {
      const entry = path.join(REPOSITORY, 'dist/src/processes/dispatcher.js');
      const program = startProgram([entry], { ...harness.settings, METRICS_PORT: String(await freePort()) });
      expect(await program.ended).toEqual({ exitCode: 1, signal: null });
      return program.error.trim();
    };
    const { owner } = harness.service;
    await owner.query('REVOKE SELECT ON event_consumer FROM einvoice_dispatcher');
    expect(await start()).toBe(
      'permission denied for table event_consumer: repeat its GRANT from src/database/ as the owner',
    );
    await owner.query('ALTER TABLE event_consumer RENAME TO other');
    expect(await start()).toBe(
      'relation "event_consumer" does not exist: run "npm run migrate" as the owner, then start again',
    );
  },
  TIMEOUT_MS,
);

it(
  'SIGUSR2 toggles the log of authority calls',
  async () => {
    const dispatcher = await harness.dispatcher({ LOG_LEVEL: 'info' });
    const tenant = await createTenant(harness.service);
    await accept(harness.service, tenant, [invoice()]);
    await harness.untilAll('Valid');
    dispatcher.kill('SIGUSR2');
    await dispatcher.printed('The log level is debug');
    expect(dispatcher.out).not.toContain('sandbox getSubmission: found');
    await accept(harness.service, tenant, [invoice()]);
    await dispatcher.printed('sandbox getSubmission: found');
    dispatcher.kill('SIGUSR2');
    await dispatcher.printed('The log level is info');
    await harness.untilAll('Valid');
    const before = dispatcher.out.split('sandbox getSubmission: found').length;
    await accept(harness.service, tenant, [invoice()]);
    await harness.untilAll('Valid');
    expect(dispatcher.out.split('sandbox getSubmission: found')).toHaveLength(before);
  },
  TIMEOUT_MS,
);

it(
  'a SIGUSR2 during the start enables the debug log',
  async () => {
    const preload = path.join(REPOSITORY, 'test/support/signal-while-loading.mjs');
    const dispatcher = await harness.dispatcher({ NODE_OPTIONS: `--import=${preload}`, LOG_LEVEL: 'info' });
    await dispatcher.printed('The log level is debug');
    expect(dispatcher.isRunning()).toBe(true);
  },
  TIMEOUT_MS,
);
