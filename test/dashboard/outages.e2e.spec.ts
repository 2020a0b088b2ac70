import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OutagesDto, QueueDto } from '../../src/dashboard-api/operator/dto/operator-queue.dto.js';
import type { OutageStateDto } from '../../src/dashboard-api/overview/dto/overview.dto.js';
import { accept, createTenant } from '../support/client.js';
import type { Browser } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { createOperator, organisation, type Person } from '../support/people.js';
import { TestService } from '../support/service.js';

let service: TestService;
let owner: Person & { tenantId: string; path: string };
let operator: Browser;
beforeAll(async () => {
  service = await TestService.start({ environments: ['sandbox', 'production'] });
  owner = await organisation(service);
  ({ browser: operator } = await createOperator(service));
});
afterEach(async () => {
  await service.owner.query('DELETE FROM call_budget');
  await service.owner.query('DELETE FROM housekeeping_task');
});
afterAll(() => service.stop());

interface Stop {
  readonly api: string;
  readonly reason: string | null;
  readonly failures: number;
  /** Time in minutes relative to now. */
  readonly since: number | null;
  readonly until: number;
}

async function stop({ api, reason, failures, since, until }: Stop): Promise<void> {
  await service.owner.query(
    `INSERT INTO call_budget (client_id, environment, api, next_at, blocked_since, blocked_until, blocked_reason, failures)
     VALUES ('test-client-sandbox', 'sandbox', $1, service_now(), service_now() + make_interval(mins => $2),
             service_now() + make_interval(mins => $3), $4, $5)`,
    [api, since, until, reason, failures],
  );
}

async function readOutage(environment = 'sandbox'): Promise<OutageStateDto['outage']> {
  return (await owner.browser.get<OutageStateDto>(`${owner.path}/${environment}/outage`)).body.outage;
}

const FAILING: Stop = { api: 'submit', reason: 'authority_unavailable', failures: 5, since: 0, until: 0 };
const REFUSED: Stop = { api: 'login', reason: 'client_refused', failures: 0, since: -9, until: 1 };
const PAUSED: Stop = { api: 'submit', reason: 'call_budget', failures: 0, since: -1, until: 10 };

describe('outage', () => {
  it.each<[string, Stop, object | null]>([
    ['five failures in a row', FAILING, { code: 'authority_unavailable', stops: ['send'] }],
    ['four failures in a row', { ...FAILING, failures: 4 }, null],
    ['failures of two minutes', { ...FAILING, failures: 2, since: -2 }, { code: 'authority_unavailable' }],
    ['failures that ended three minutes ago', { ...FAILING, until: -4 }, null],
    ['failing polls', { ...FAILING, api: 'getSubmission' }, { code: 'authority_unavailable', stops: ['outcome'] }],
    ['failing cancellations', { ...FAILING, api: 'cancel' }, { code: 'authority_unavailable', stops: ['cancel'] }],
    ['failing TIN checks', { ...FAILING, api: 'validateTin' }, null],
    ['a refused login', REFUSED, { code: 'client_refused', stops: ['cancel', 'outcome', 'send'] }],
    [
      'a pause of eleven minutes',
      PAUSED,
      { code: 'call_budget', stops: ['send'], until: expect.any(String) as string },
    ],
    ['a pause of two minutes', { ...PAUSED, until: 1 }, null],
    ['a call that succeeded', { ...FAILING, reason: null, failures: 0, since: null }, null],
  ])('is detected from calls: %s', async (_, row, expected) => {
    await stop(row);
    const outage = await readOutage();
    expect(outage).toEqual(expected === null ? null : expect.objectContaining(expected));
    expect(await readOutage('production')).toBeNull();
    const { body } = await operator.get<OutagesDto>('/operator/outages');
    const listed = body.outages.map(({ code, environment }) => [code, environment]);
    expect(listed).toEqual(outage === null ? [] : [[outage.code, 'sandbox']]);
  });

  it('starts with the first failure of the affected calls', async () => {
    await stop(FAILING);
    await stop({ ...FAILING, api: 'search', failures: 1, since: -30 });
    const [{ since }] = await service.owner.query<{ since: Date }[]>(
      'SELECT min(blocked_since) AS since FROM call_budget',
    );
    expect(await readOutage()).toMatchObject({ since: since.toISOString(), stops: ['outcome', 'send'] });
  });

  it('is shown to members if its severity is the highest', async () => {
    await stop(FAILING);
    await service.owner.query(`INSERT INTO housekeeping_task VALUES ('a', service_now() - interval '4 minutes')`);
    expect(await readOutage()).toMatchObject({ code: 'authority_unavailable' });
    expect(await readOutage('production')).toBeNull();
    await service.owner.query(`UPDATE housekeeping_task SET last_run_at = service_now() - interval '6 minutes'`);
    expect(await readOutage()).toMatchObject({ code: 'not_running', stops: ['send', 'outcome', 'cancel'] });
    expect(await readOutage('production')).toMatchObject({ code: 'not_running' });
    const { body } = await operator.get<OutagesDto>('/operator/outages');
    expect(body.outages.map(({ code, environment }) => [code, environment])).toEqual([
      ['not_running', null],
      ['authority_unavailable', 'sandbox'],
    ]);
  });

  it('is shown if no dispatcher has run since the clock was set back', async () => {
    await service.owner.query(
      `INSERT INTO housekeeping_task VALUES ('a', service_now() + interval '2 hours'), ('b', service_now() - interval '6 minutes')`,
    );
    expect(await readOutage()).toMatchObject({ code: 'not_running' });
    await service.owner.query(`UPDATE housekeeping_task SET last_run_at = service_now() + interval '2 hours'`);
    expect(await readOutage()).toMatchObject({ code: 'not_running' });
    await service.owner.query(`UPDATE housekeeping_task SET last_run_at = service_now() WHERE name = 'b'`);
    expect(await readOutage()).toBeNull();
  });

  it('never starts in the future', async () => {
    await stop({ ...FAILING, since: 120 });
    const { since } = (await readOutage()) ?? {};
    expect(new Date(since ?? Infinity).getTime()).toBeLessThanOrEqual(Date.now());
  });

  it('explains waiting queues unless a longer-lasting reason applies', async () => {
    const tenant = await createTenant(service);
    await accept(service, tenant, [invoice()]);
    const readHold = async (): Promise<(string | null)[]> => {
      const { body } = await operator.get<QueueDto>('/operator/queue');
      const queue = body.tenantQueues.find(({ tenantId }) => tenantId === tenant.tenantId);
      return [queue?.waitingCode ?? null, queue?.waitingSince === null ? null : 'since'];
    };
    const block = (reason: string): Promise<unknown> =>
      service.owner.query(
        `UPDATE tenant_queue SET waiting_until = service_now() + interval '1 hour', waiting_since = service_now(),
                waiting_code = $2 WHERE tenant_id = $1`,
        [tenant.tenantId, reason],
      );
    expect(await readHold()).toEqual([null, null]);
    await stop(REFUSED);
    expect(await readHold()).toEqual(['client_refused', 'since']);
    await block('authority_unavailable');
    expect(await readHold()).toEqual(['client_refused', 'since']);
    await block('not_appointed');
    expect(await readHold()).toEqual(['not_appointed', 'since']);
    await service.owner.query(
      `UPDATE tenant_queue SET waiting_until = NULL, unconfigured_since = service_now()
        WHERE tenant_id = $1`,
      [tenant.tenantId],
    );
    expect(await readHold()).toEqual(['environment_not_configured', 'since']);
    await service.owner.query('SELECT begin_recovery(NULL)');
    expect(await readHold()).toEqual(['recovery', 'since']);
    await service.owner.query('UPDATE recovery SET ended_at = service_now()');
    expect(await readHold()).toEqual(['environment_not_configured', 'since']);
  });
});
