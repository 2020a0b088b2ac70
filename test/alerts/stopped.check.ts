import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { buildSettings, startApiProcess, startDispatcherProcess, startSimulatorProcess } from '../support/processes.js';
import type { StartedServer } from '../support/processes.js';
import { buildPrograms } from '../support/program.js';
import { until } from '../support/until.js';
import { findInstalled, findPrometheus } from './debian-binaries.js';
import {
  type Daemon,
  type Notification,
  pathOf,
  readBlockedStates,
  readFiring,
  readUp,
  startAlertmanager,
  startHaproxy,
  startPagingService,
  startPrometheus,
} from './watched-deployment.js';

// Runs Prometheus and Alertmanager with the files of deploy/prometheus, and stops real processes behind HAProxy. Only
// addresses, waits and TLS differ from compose.yaml.

const run = promisify(execFile);
let database: TestDatabase;
let simulator: StartedServer;
let haproxy: Awaited<ReturnType<typeof startHaproxy>>;
let paging: Awaited<ReturnType<typeof startPagingService>>;
let alertmanager: Daemon;
let prometheus: Daemon;
const processes = new Map<string, Awaited<ReturnType<typeof startApiProcess>> | StartedServer>();

const metricsOf = (name: string): string => {
  const started = processes.get(name);
  if (started === undefined) throw new Error(`${name} was not started`);
  return new URL('metricsUrl' in started ? started.metricsUrl : started.url).host;
};

beforeAll(async () => {
  await buildPrograms();
  database = await createTestDatabase();
  simulator = await startSimulatorProcess();
  const settings = buildSettings(
    (role) => (role === 'einvoice_app' ? database.appUrl : database.dispatcherUrl),
    simulator.url,
  );
  for (const name of ['api-1', 'api-2']) processes.set(name, await startApiProcess(settings));
  for (const name of ['dispatcher-1', 'dispatcher-2']) processes.set(name, await startDispatcherProcess(settings));
  const hostOf = (name: string): string => new URL(processes.get(name)?.url ?? '').host;
  haproxy = await startHaproxy({ 'api-1': hostOf('api-1'), 'api-2': hostOf('api-2') });
  paging = await startPagingService();
  alertmanager = await startAlertmanager(paging.url);
  prometheus = await startPrometheus({
    ...Object.fromEntries([...processes.keys()].map((name) => [name, metricsOf(name)])),
    haproxy: new URL(haproxy.url).host,
    alertmanager: new URL(alertmanager.url).host,
  });
}, 300_000);

afterAll(async () => {
  for (const daemon of [prometheus, alertmanager, paging, haproxy, ...processes.values(), simulator])
    await daemon?.stop();
  await database?.drop();
});

async function stop(name: string): Promise<string> {
  const host = metricsOf(name);
  await processes.get(name)?.stop();
  return host;
}

/** Waits until these alerts fire. @returns all firing alerts */
async function untilFiring(...alerts: string[]): Promise<string[]> {
  let firing: string[] = [];
  await until(`${alerts.join(', ')} fire`, async () => {
    firing = await readFiring(prometheus);
    return alerts.every((alert) => firing.includes(alert));
  });
  return firing;
}

function untilNotified(notification: Notification): Promise<void> {
  return until(`${notification.alertname} is ${notification.status}`, () =>
    paging.received.some((each) =>
      Object.entries(notification).every(([key, value]) => each[key as keyof Notification] === value),
    ),
  );
}

async function request(): Promise<number> {
  const response = await fetch(`${haproxy.serviceUrl}/api/health/live`);
  await response.arrayBuffer();
  return response.status;
}

it('Alertmanager routes pages and tickets to their receivers', async () => {
  const config = ['config', 'routes', 'test', `--config.file=${pathOf('alertmanager.yml')}`];
  await run(findPrometheus('promtool'), ['check', 'config', pathOf('prometheus.yml')]);
  const amtool = findInstalled('amtool', 'prometheus-alertmanager');
  await run(amtool, ['check-config', pathOf('alertmanager.yml')]);
  for (const [severity, receiver] of [
    ['page', 'pages'],
    ['ticket', 'tickets'],
  ]) {
    const { stdout } = await run(amtool, [...config, `severity=${severity}`]);
    expect(stdout.trim()).toBe(receiver);
  }
});

it('a page suppresses only the ticket with the same reason', async () => {
  const waiting = (severity: string, reason: string): object => ({
    labels: { alertname: 'EinvoiceOrganisationsWaiting', environment: 'sandbox', severity, reason },
  });
  const alerts = [
    waiting('page', 'not_appointed'),
    waiting('ticket', 'not_appointed'),
    waiting('ticket', 'supplier_refused'),
  ];
  const headers = { 'Content-Type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(alerts) };
  expect(await fetch(`${alertmanager.url}/api/v2/alerts`, request)).toMatchObject({ status: 200 });
  const expected = ['page not_appointed active', 'ticket not_appointed suppressed', 'ticket supplier_refused active'];
  await until(expected.join(', '), async () => {
    const states = await readBlockedStates(alertmanager);
    return states.join() === expected.join();
  });
});

it('stopped processes raise tickets and pages', async () => {
  await until('each target is up', async () => {
    const up = Object.values(await readUp(prometheus));
    return up.length === 5 && up.every(Boolean);
  });
  await until('HAProxy passes requests on', async () => (await request()) === 200);
  // Before the first scrape, the APIs count as down.
  await until('nothing fires', async () => (await readFiring(prometheus)).length === 0);
  paging.received.length = 0;

  const one = await stop('api-2');
  expect(await untilFiring(`EinvoiceProcessDown ticket ${one}`)).toEqual([`EinvoiceProcessDown ticket ${one}`]);
  expect(await request()).toBe(200);

  const other = await stop('api-1');
  // Fewer errors do not page.
  for (let times = 0; times < 10; times += 1) expect(await request()).toBe(503);
  const firing = await untilFiring(
    'EinvoiceNoApi page',
    'EinvoiceProxyErrors page',
    `EinvoiceProcessDown ticket ${other}`,
  );
  expect(firing).not.toContain('EinvoiceNoDispatcher page');
  await untilNotified({ status: 'firing', alertname: 'EinvoiceNoApi', severity: 'page' });

  await stop('dispatcher-1');
  await stop('dispatcher-2');
  await untilFiring('EinvoiceNoDispatcher page');
  await haproxy.stop();
  await untilFiring('EinvoiceNoProxy page');
  // Tickets must not page.
  expect(paging.received.filter(({ severity }) => severity !== 'page')).toEqual([]);
}, 240_000);
