import { DataSource } from 'typeorm';
import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type MetricsPage, serveMetrics } from '../../src/common/metrics-page.js';
import { FIGURE_STATEMENTS } from '../../src/dispatcher/monitoring/figures.sql.js';
import { createDataSource } from '../../src/database/data-source.js';
import { queueCopies } from '../dispatcher/backlog.js';
import { accept, createTenant, request, type TestTenant } from '../support/client.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { findValue, parseMetrics, type Sample } from '../support/metrics.js';
import { TestService } from '../support/service.js';
import { until } from '../support/until.js';

// docs/monitoring.md#metrics

let service: TestService;
let page: MetricsPage;
let tenant: TestTenant;
beforeAll(async () => {
  service = await TestService.start();
  page = await serveMetrics(0);
});
beforeEach(async () => {
  await service.settle();
  tenant = await createTenant(service);
});
afterAll(async () => {
  await page.close();
  await service.stop();
});

const STATES = ['held', 'queued', 'waiting', 'sending', 'in_doubt', 'submitted'];

async function scrape(): Promise<Sample[]> {
  const response = await fetch(page.url);
  expect(response.status).toBe(200);
  return parseMetrics(await response.text());
}

/** Returns the non-zero numbers of documents by state. */
async function depths(): Promise<Record<string, number>> {
  const samples = await scrape();
  const counted = STATES.map((state): [string, number] => [
    state,
    findValue(samples, 'einvoice_queue_documents', { environment: 'sandbox', state }),
  ]);
  return Object.fromEntries(counted.filter(([, documents]) => documents > 0));
}

async function age(state: string): Promise<number> {
  return findValue(await scrape(), 'einvoice_queue_oldest_seconds', { environment: 'sandbox', state });
}

describe('the numbers and ages of documents by state', () => {
  it('follow a document from the queue to its outcome', async () => {
    const referenceId = reference('SIM-LATE');
    await accept(service, tenant, [invoice({ referenceId }), creditNote({ referenceId })]);
    await service.advance(100);
    expect(await depths()).toEqual({ queued: 1, held: 1 });
    expect(await age('queued')).toBeGreaterThanOrEqual(100);
    expect(await age('held')).toBeGreaterThanOrEqual(100);
    const sending = service.tick('submit');
    await until('the call is under way', async () => (await depths()).sending === 1);
    expect(await depths()).toEqual({ sending: 1, held: 1 });
    await sending;
    expect(await depths()).toEqual({ in_doubt: 1, held: 1 });
    await service.advance(70);
    expect(await age('in_doubt')).toBeGreaterThanOrEqual(70);
    await service.tick('reconcile');
    expect(await depths()).toEqual({ submitted: 1, held: 1 });
    // Counted from the authority's acceptance.
    expect(await age('submitted')).toBeGreaterThanOrEqual(70);
    expect(await age('submitted')).toBeLessThan(170);
    await service.settle();
    expect(await depths()).toEqual({});
    expect(await age('submitted')).toBe(0);
  });

  it('do not contain organisation ids', async () => {
    const other = await createTenant(service);
    await accept(service, tenant, [invoice(), invoice()]);
    await accept(service, other, [invoice()]);
    expect(await depths()).toEqual({ queued: 3 });
    const text = await fetch(page.url).then((response) => response.text());
    expect(text).toContain('einvoice_queue_documents');
    const ids = await service.owner.query<{ id: string }[]>(
      'SELECT tenant_id::text AS id FROM tenant UNION SELECT tin FROM tenant UNION SELECT name FROM tenant',
    );
    expect(ids.length).toBeGreaterThan(3);
    expect(ids.filter(({ id }) => text.includes(id))).toEqual([]);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  });

  it.each(['before', 'after'])('do not require a full scan of the documents %s ANALYZE', async (when) => {
    const sized = await TestService.start();
    try {
      const busy = await createTenant(sized);
      await createTenant(sized);
      const referenceId = reference();
      await accept(sized, busy, [invoice({ referenceId })]);
      await queueCopies(sized, busy, { of: referenceId, count: 5_000, prefix: 'OLD', batches: 50 });
      await sized.owner.query(
        `UPDATE document_transaction SET submission_status = 'Submitted', authority_status = 'Valid'
            WHERE reference_id LIKE 'OLD-%'`,
      );
      await queueCopies(sized, busy, { of: referenceId, count: 10_500, prefix: 'NEW', batches: 50 });
      if (when === 'after') await sized.owner.query('VACUUM ANALYZE');
      await checkPlans(sized);
    } finally {
      await sized.stop();
    }
  });
});

/** Runs a statement with a generic plan, like the dispatcher. */
async function checkPlans(sized: TestService): Promise<void> {
  const dispatcher = await createDataSource({
    url: sized.database.dispatcherUrl,
    poolSize: 1,
    applicationName: 'test-figures',
  }).initialize();
  try {
    const { RECOVERY: _, ...ofEnvironments } = FIGURE_STATEMENTS;
    for (const [name, statement] of Object.entries(ofEnvironments)) {
      await dispatcher.query(`PREPARE figure_${name} AS ${statement}`);
      const [plan] = await dispatcher.query<[{ 'QUERY PLAN': unknown }]>(
        `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE figure_${name} ('{sandbox,production}'${name === 'CALLS_TO_DECIDE' ? `, '{client}'` : ''})`,
      );
      const nodes = listNodes(plan['QUERY PLAN']);
      const tables = nodes.filter((node) => node['Relation Name'] !== undefined);
      expect(tables.length, name).toBeGreaterThan(0);
      const large = tables.filter((node) =>
        ['document_transaction', 'authority_submission'].includes(String(node['Relation Name'])),
      );
      expect(large.filter((node) => !/^Index (?:Only )?Scan$/.test(String(node['Node Type'])))).toEqual([]);
      // Each counted document is read once, the first one twice.
      expect(large.map((node) => Number(node['Actual Rows'])).filter((rows) => rows > 10_000)).toEqual([]);
    }
  } finally {
    await dispatcher.destroy();
  }
  const [row] = await sized.owner.query<{ documents: number }[]>(
    FIGURE_STATEMENTS.QUEUE.replace(/^\s*SELECT/, 'SELECT'),
    [['sandbox']],
  );
  expect(row).toMatchObject({ state: 'queued', documents: 10_000 });
}

type PlanNode = Record<string, unknown>;

function listNodes(plan: unknown): PlanNode[] {
  if (Array.isArray(plan)) return plan.flatMap(listNodes);
  if (typeof plan !== 'object' || plan === null) return [];
  const node = plan as PlanNode;
  const below = [...listNodes(node.Plan), ...listNodes(node.Plans)];
  return 'Node Type' in node ? [node, ...below] : below;
}

describe('the durations of documents', () => {
  it('are recorded once per document', async () => {
    const before = await scrape();
    await accept(service, tenant, [invoice(), invoice()]);
    await service.advance(40);
    await service.tick('submit');
    await service.advance(90);
    await service.settle();
    const after = await scrape();
    const grew = (name: string, labels: Record<string, string> = {}): number =>
      findValue(after, name, { environment: 'sandbox', ...labels }) -
      findValue(before, name, { environment: 'sandbox', ...labels });
    for (const name of ['einvoice_sent_after_accept_seconds', 'einvoice_sent_after_turn_seconds']) {
      expect(grew(`${name}_count`)).toBe(2);
      expect(grew(`${name}_bucket`, { le: '30' })).toBe(0);
      expect(grew(`${name}_bucket`, { le: '60' })).toBe(2);
    }
    expect(grew('einvoice_outcome_after_accept_seconds_count')).toBe(2);
    expect(grew('einvoice_outcome_after_accept_seconds_bucket', { le: '120' })).toBe(0);
    expect(grew('einvoice_outcome_after_authority_seconds_count')).toBe(2);
  });

  it('omit a rejected document until it is resent', async () => {
    const sent = async (): Promise<number> =>
      findValue(await scrape(), 'einvoice_sent_after_accept_seconds_count', { environment: 'sandbox' });
    const before = await sent();
    await service.control('faults', [{ when: { api: 'submit' }, fault: '429-seconds', times: 1 }]);
    await accept(service, tenant, [invoice()]);
    await service.tick('submit');
    expect(await sent()).toBe(before);
    await service.advance(120);
    await service.settle();
    expect(await sent()).toBe(before + 1);
  });
});

describe('authority calls', () => {
  it('are counted by API and result', async () => {
    const before = await scrape();
    await accept(service, tenant, [invoice()]);
    await service.settle();
    const after = await scrape();
    const grew = (api: string, result: string): number => {
      const labels = { environment: 'sandbox', api, result };
      const name = 'einvoice_authority_calls_total';
      return findValue(after, name, labels) - findValue(before, name, labels);
    };
    expect(grew('login', 'token')).toBe(1);
    expect(grew('submit', 'accepted')).toBe(1);
    expect(grew('getSubmission', 'found')).toBeGreaterThanOrEqual(1);
  });

  it('show an open circuit breaker until a call succeeds', async () => {
    const isOpen = async (): Promise<number> =>
      findValue(await scrape(), 'einvoice_authority_breaker_open', { environment: 'sandbox', api: 'submit' });
    expect(await isOpen()).toBe(0);
    await service.owner.query(
      `INSERT INTO call_budget (client_id, environment, api, next_at, blocked_until, blocked_since, blocked_reason, failures)
       VALUES ('test-client-sandbox', 'sandbox', 'submit', service_now(), service_now() + interval '1 hour', service_now(), 'authority_unavailable', 5)
       ON CONFLICT (client_id, environment, api) DO UPDATE
          SET blocked_until = excluded.blocked_until, blocked_since = excluded.blocked_since,
              blocked_reason = excluded.blocked_reason, failures = 5`,
    );
    expect(await isOpen()).toBe(1);
    const labels = { environment: 'sandbox', api: 'submit' };
    const samples = await scrape();
    expect(findValue(samples, 'einvoice_authority_blocked', { ...labels, reason: 'authority_unavailable' })).toBe(1);
    expect(findValue(samples, 'einvoice_authority_slot_wait_seconds', labels)).toBeGreaterThan(3_500);
    await service.advance(3_600);
    await accept(service, tenant, [invoice()]);
    await service.settle();
    expect(await isOpen()).toBe(0);
  });

  it('have a budget based on the rate factor', async () => {
    const budgets = async (): Promise<number> =>
      findValue(await scrape(), 'einvoice_authority_budget_calls_per_minute', {
        environment: 'sandbox',
        api: 'submit',
      });
    await accept(service, tenant, [invoice()]);
    await service.settle();
    expect(await budgets()).toBe(0);
    const limited = await TestService.start({ environment: { AUTHORITY_SANDBOX_RATE_FACTOR: '1' } });
    try {
      const other = await createTenant(limited);
      await accept(limited, other, [invoice()]);
      await limited.tick('submit');
      await until('the budget is shown', async () => (await budgets()) === 98);
    } finally {
      await limited.stop();
    }
  });
});

it('the metrics show how far the authority clock is ahead', async () => {
  const difference = async (): Promise<number> =>
    findValue(await scrape(), 'einvoice_authority_clock_difference_seconds', { environment: 'sandbox' });
  await service.control('clock', { advanceSeconds: 600 });
  await service.restart();
  await accept(service, tenant, [invoice()]);
  await service.settle();
  // The two clocks are not read at the same moment.
  expect(Math.abs((await difference()) - 600)).toBeLessThan(300);
  await service.owner.query('UPDATE service_clock SET offset_seconds = offset_seconds + 600');
  // The next test must not see this difference.
  await service.owner.query('DELETE FROM authority_clock');
});

it('the metrics count calls in doubt that require a decision', async () => {
  const toDecide = async (): Promise<number> =>
    findValue(await scrape(), 'einvoice_doubts_to_decide', { environment: 'sandbox' });
  await service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-before', times: 1 }]);
  await accept(service, tenant, [invoice()]);
  await service.tick('submit');
  expect(await depths()).toEqual({ in_doubt: 1 });
  expect(await toDecide()).toBe(0);
  await service.owner.query(`UPDATE authority_submission SET due_at = NULL WHERE state = 'unknown'`);
  expect(await toDecide()).toBe(1);
  await service.owner.query(`UPDATE authority_submission SET due_at = service_now() WHERE state = 'unknown'`);
  await service.settle();
  expect(await toDecide()).toBe(0);
});

it('the metrics count documents that wait for their organisation separately', async () => {
  const [{ tin }] = await service.owner.query<{ tin: string }[]>('SELECT tin FROM tenant WHERE tenant_id = $1', [
    tenant.tenantId,
  ]);
  await service.control('taxpayers', { tin, appointed: false });
  await accept(service, tenant, [invoice(), invoice()]);
  expect(await depths()).toEqual({ queued: 2 });
  await service.tick('submit');
  await service.advance(400);
  expect(await depths()).toEqual({ waiting: 2 });
  expect([await age('queued'), (await age('waiting')) >= 300]).toEqual([0, true]);
  await service.control('taxpayers', { tin, appointed: true });
  await service.advance(3_600);
  await service.settle();
  expect(await depths()).toEqual({});
});

describe('during a recovery', () => {
  const waitingTenants = async (): Promise<number | undefined> =>
    (await scrape()).find(({ name }) => name === 'einvoice_recovery_waiting_organisations')?.value;
  const release = (id: string): Promise<unknown> =>
    service.owner.query(
      `INSERT INTO recovery_tenant (recovery_id, tenant_id, searched_at, released_at)
       SELECT id, $1, service_now(), service_now() FROM recovery WHERE ended_at IS NULL`,
      [id],
    );

  it('the metrics count waiting organisations without the ages of their documents', async () => {
    const released = await createTenant(service);
    await accept(service, released, [invoice()]);
    await service.tick('submit');
    await accept(service, tenant, [invoice()]);
    await service.advance(400);
    expect([(await age('queued')) >= 400, (await age('submitted')) >= 400]).toEqual([true, true]);
    expect(await waitingTenants()).toBe(0);
    const [{ tenants }] = await service.owner.query<{ tenants: number }[]>(
      'SELECT count(*)::integer AS tenants FROM tenant',
    );
    await service.owner.query('SELECT begin_recovery(NULL)');
    try {
      expect(await waitingTenants()).toBe(tenants);
      expect([await age('queued'), await age('submitted')]).toEqual([0, 0]);
      expect(await depths()).toEqual({ queued: 1, submitted: 1 });
      await release(released.tenantId);
      expect(await waitingTenants()).toBe(tenants - 1);
      expect([await age('queued'), (await age('submitted')) >= 400]).toEqual([0, true]);
      await release(tenant.tenantId);
      expect(await age('queued')).toBeGreaterThanOrEqual(400);
    } finally {
      await service.owner.query('UPDATE recovery SET ended_at = service_now() WHERE ended_at IS NULL');
    }
    expect(await waitingTenants()).toBe(0);
  });

  it('a finished recovery causes no scan of organisations', async () => {
    const [plan] = await service.owner.query<[{ 'QUERY PLAN': unknown }]>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${FIGURE_STATEMENTS.RECOVERY}`,
    );
    const tenants = listNodes(plan['QUERY PLAN']).filter((node) => node['Relation Name'] === 'tenant');
    expect(tenants.map((node) => node['Actual Loops'])).toEqual([0]);
  });
});

it('the metrics count organisations with few or no credits', async () => {
  const low = async (left: string): Promise<number> =>
    findValue(await scrape(), 'einvoice_low_credit_organisations', { left });
  const [none, little] = [await low('none'), await low('little')];
  const spent = await createTenant(service, { credits: 1 });
  await createTenant(service, { credits: 3 });
  expect([await low('none'), await low('little')]).toEqual([none, little + 2]);
  await accept(service, spent, [invoice()]);
  expect([await low('none'), await low('little')]).toEqual([none + 1, little + 1]);
  await createTenant(service, { credits: 0 });
  expect([await low('none'), await low('little')]).toEqual([none + 1, little + 1]);
});

it('the metrics show waiting callers and wait times of the connection pool', async () => {
  const database = service.api.get(DataSource);
  const pool = 'einvoice-api';
  const busy = async (): Promise<number> =>
    findValue(await scrape(), 'einvoice_database_connections', { pool, use: 'busy' });
  const waiting = async (): Promise<number> => findValue(await scrape(), 'einvoice_database_waiting', { pool });
  const waits = async (): Promise<number> =>
    findValue(await scrape(), 'einvoice_database_wait_seconds_count', { pool });
  const runners = Array.from({ length: 10 }, () => database.createQueryRunner());
  await Promise.all(runners.map((runner) => runner.connect()));
  expect([await busy(), await waiting()]).toEqual([10, 0]);
  const before = await waits();
  const late = database.query('SELECT 1');
  expect(await waiting()).toBe(1);
  expect(await waits()).toBe(before);
  await Promise.all(runners.map((runner) => runner.release()));
  await late;
  expect([await busy(), await waiting(), await waits()]).toEqual([0, 0, before + 1]);
});

it('the metrics omit database values while the database is unavailable', async () => {
  const logged = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  onTestFinished(() => logged.mockRestore());
  await request(service, '/health/live');
  await accept(service, tenant, [invoice()]);
  expect(await depths()).toEqual({ queued: 1 });
  await service.owner.query('REVOKE SELECT ON call_budget FROM einvoice_dispatcher');
  const samples = await scrape();
  await service.owner.query('GRANT SELECT ON call_budget TO einvoice_dispatcher');
  expect(findValue(samples, 'einvoice_figures_read')).toBe(0);
  expect(logged).toHaveBeenCalledWith(
    expect.stringMatching(/^The metrics of the database .*permission denied for table call_budget/),
  );
  const figures = ['einvoice_queue_documents', 'einvoice_recovery_waiting_organisations'];
  expect(samples.filter(({ name }) => figures.includes(name))).toEqual([]);
  expect(samples.some(({ name }) => name === 'nodejs_eventloop_lag_p99_seconds')).toBe(true);
  expect(samples.some(({ name }) => name === 'einvoice_http_request_duration_seconds_count')).toBe(true);
  expect(findValue(await scrape(), 'einvoice_figures_read')).toBe(1);
});
