import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/simulator.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { invoice } from '../support/documents.js';
import { buildSettings, controlSimulator, startApiProcess, startDispatcherProcess } from '../support/processes.js';
import type { StartedServer } from '../support/processes.js';
import { buildPrograms } from '../support/program.js';
import { FaultProxy } from '../support/proxy.js';
import { insertTenant } from '../support/tenants.js';
import { until } from '../support/until.js';
import { findFiring } from './promtool.js';
import { Recording } from './recording.js';

// Evaluates the rules with metrics of real processes under real faults. The test advances the clocks of service and
// simulator by one minute per scrape.

const recording = new Recording();
let database: TestDatabase;
let owner: Client;
let simulator: Simulator;
let links: Record<'api' | 'dispatcher' | 'authority', FaultProxy>;
let api: Awaited<ReturnType<typeof startApiProcess>>;
let dispatcher: StartedServer | null = null;
let apiKey: string;

beforeAll(async () => {
  await buildPrograms();
  database = await createTestDatabase();
  owner = new Client({ connectionString: database.ownerUrl });
  await owner.connect();
  simulator = await startSimulator({ port: 0, settings: { validationDelayMs: 0, visibilityDelayMs: 0 } });
  const open = (url: string): Promise<FaultProxy> => FaultProxy.open(() => Number(new URL(url).port));
  links = {
    api: await open(database.appUrl),
    dispatcher: await open(database.dispatcherUrl),
    authority: await open(simulator.url),
  };
  ({ apiKey } = await insertTenant(owner, { credits: 10_000 }));
  api = await startApiProcess(settings());
  dispatcher = await startDispatcherProcess(settings());
}, 300_000);

afterAll(async () => {
  await dispatcher?.stop();
  await api.stop();
  for (const link of Object.values(links)) await link.close();
  await simulator.close();
  await owner.end();
  await database.drop();
});

function settings(): Record<string, string> {
  const through = (url: string, { port }: FaultProxy): string =>
    Object.assign(new URL(url), { port: String(port) }).href;
  return {
    ...buildSettings(
      (role) =>
        role === 'einvoice_app'
          ? through(database.appUrl, links.api)
          : through(database.dispatcherUrl, links.dispatcher),
      `http://127.0.0.1:${links.authority.port}`,
    ),
    // Longer than one advance of the clock.
    DISPATCH_LEASE_SECONDS: '180',
  };
}

async function advance(seconds: number): Promise<void> {
  await owner.query('UPDATE service_clock SET offset_seconds = offset_seconds + $1', [seconds]);
  await controlSimulator(simulator.url, 'clock', { advanceSeconds: seconds });
}

async function submit(): Promise<number> {
  const response = await fetch(`${api.url}/v1/einvoice/submit`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify({ submission_type: 'non-consolidated', documents: [invoice()] }),
  });
  await response.arrayBuffer();
  return response.status;
}

function untilNone(condition: string): Promise<void> {
  return until(`no document is ${condition}`, async () => {
    const { rows } = await owner.query<{ found: number }>(
      `SELECT count(*)::integer AS found FROM document_transaction WHERE ${condition}`,
    );
    return rows[0].found === 0;
  });
}

/** Waits until all documents have their outcome. */
async function settle(): Promise<void> {
  await untilNone(`submission_status IN ('Queued', 'Processing')`);
  await advance(10);
  await untilNone(`authority_status = 'Submitted'`);
}

/** Advances minute by minute with one scrape and one call of `work` each. @returns the last minute */
async function minutes(count: number, work?: (minute: number) => Promise<unknown>): Promise<number> {
  for (let minute = 0; minute < count; minute += 1) {
    await work?.(minute);
    await recording.scrape({
      api: api.metricsUrl,
      dispatcher: dispatcher === null ? null : `${dispatcher.url}/metrics`,
    });
    await advance(60);
  }
  return recording.minutes - 1;
}

/** Runs a healthy service with one document every four minutes. */
function quiet(count: number): Promise<number> {
  return minutes(count, async (minute) => {
    if (minute % 4 !== 0) return;
    expect(await submit()).toBe(200);
    await settle();
  });
}

async function cut(...names: (keyof typeof links)[]): Promise<void> {
  for (const name of names) await links[name].refuse();
}

async function heal(): Promise<void> {
  for (const link of Object.values(links)) await link.listen();
  await until('the API is ready', async () => (await fetch(`${api.url}/health/ready`)).ok);
}

/** Waits until a call has failed and delays the next call. */
function untilRefused(): Promise<void> {
  return until('calls wait', async () => {
    const { rowCount } = await owner.query(
      `SELECT FROM tenant_queue WHERE waiting_until > service_now()
        UNION ALL SELECT FROM call_budget WHERE blocked_until > service_now()`,
    );
    return (rowCount ?? 0) > 0;
  });
}

// A busy machine causes these alerts without a fault.
const OF_THE_MACHINE = /^Einvoice(?:AcceptSlow|EventLoopBlocked|PoolWaits) /;
const ofFaults = (firing: readonly string[]): string[] => firing.filter((alert) => !OF_THE_MACHINE.test(alert));

it('each fault raises its alerts only while it lasts', async () => {
  const before = await quiet(12);

  dispatcher?.kill('SIGKILL');
  await dispatcher?.ended;
  dispatcher = null;
  const killed = await minutes(6, submit);
  dispatcher = await startDispatcherProcess(settings());
  await settle();

  await cut('authority');
  const outage = await minutes(18, async () => {
    await submit();
    await untilRefused();
  });
  await heal();
  await settle();
  const restored = await minutes(2);

  await cut('api', 'dispatcher');
  const unread = await minutes(5, () => Promise.all([submit(), submit(), submit()]));
  await heal();
  await settle();

  links.api.applyToxics({ latencyMs: 200 });
  const slow = await minutes(4, () => Promise.all(Array.from({ length: 15 }, submit)));
  links.api.clearToxics();
  await settle();

  const after = await quiet(36);
  const firing = await findFiring(recording.series, {
    before,
    killed,
    outage,
    restored,
    unread,
    slow,
    after,
  });
  expect(ofFaults(firing.before)).toEqual([]);
  expect(firing.outage).toEqual(expect.arrayContaining(['EinvoiceAuthorityDown ticket', 'EinvoiceQueueStuck page']));
  expect(firing.restored).toContain('EinvoiceSentLate page');
  expect(firing.unread).toEqual(expect.arrayContaining(['EinvoiceDatabaseUnread page', 'EinvoiceAcceptErrors page']));
  expect(firing.slow).toContain('EinvoiceAcceptSlow ticket');
  expect(ofFaults(firing.after)).toEqual([]);
  // Alerts of other or earlier faults must not fire.
  expect(ofFaults(firing.killed)).toEqual(['EinvoiceProcessDown ticket', 'EinvoiceNoDispatcher page']);
  expect(firing.outage).not.toContain('EinvoiceNoDispatcher page');
  expect(firing.slow).not.toContain('EinvoiceAuthorityDown ticket');
}, 300_000);
