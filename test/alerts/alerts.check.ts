import { expect, it } from 'vitest';
import { checkRules, type Expected, playScenes, type Series } from './promtool.js';
import { readAlerts } from './rules.js';

// Tests each alert with its cause and with values just below its threshold.

interface Case {
  readonly alert: string;
  readonly severity?: string;
  readonly firing: readonly Series[];
  readonly labels?: Record<string, string>;
  readonly quiet: readonly Series[];
}

/** Counter that grows by `each` per minute. */
const grows = (series: string, each: number): Series => ({ series, values: `0+${each}x420` });
const stays = (series: string, value: number): Series => ({ series, values: `${value}+0x420` });

const ACCEPT = 'einvoice_http_request_duration_seconds';
const ROUTE = 'route="/api/v1/einvoice/submit",method="POST"';
const ALIVE = stays('einvoice_figures_read', 1);

function requests(failed: number): Series[] {
  return [
    grows(`${ACCEPT}_count{${ROUTE},status="200"}`, 10_000 - failed),
    grows(`${ACCEPT}_count{${ROUTE},status="503"}`, failed),
    // Client errors and other routes do not count. Rate-limited requests must not hide errors.
    grows(`${ACCEPT}_count{${ROUTE},status="422"}`, 0),
    grows(`${ACCEPT}_count{${ROUTE},status="429"}`, 100_000),
    grows(`${ACCEPT}_count{route="/api/dashboard/x",method="GET",status="500"}`, 500),
  ];
}

function timed(metric: string, labels: string, { le, late }: { le: string; late: number }): Series[] {
  const others = labels === '' ? '' : `${labels},`;
  return [
    grows(`${metric}_count{${labels}}`, 1_000),
    grows(`${metric}_bucket{${others}le="${le}"}`, 1_000 - late),
    grows(`${metric}_bucket{${others}le="+Inf"}`, 1_000),
  ];
}

// 429 responses are delayed on purpose and must not count.
const slow = (late: number): Series[] => [
  ...timed(ACCEPT, `${ROUTE},status="200"`, { le: '0.3', late }),
  ...timed(ACCEPT, `${ROUTE},status="429"`, { le: '0.3', late: 900 }),
];
const sent = (late: number): Series[] =>
  timed('einvoice_sent_after_turn_seconds', 'environment="sandbox"', { le: '60', late });
const outcome = (late: number): Series[] =>
  timed('einvoice_outcome_after_authority_seconds', 'environment="sandbox"', { le: '30', late });
const gauge = (series: string, firing: number, quiet: number): Pick<Case, 'firing' | 'quiet'> => ({
  firing: [stays(series, firing)],
  quiet: [stays(series, quiet)],
});
const counter = (series: string, firing: number, quiet: number): Pick<Case, 'firing' | 'quiet'> => ({
  firing: [grows(series, firing)],
  quiet: [grows(series, quiet)],
});

/** 10,000 requests per minute: `failed` without a reachable API, and 50 with an error of one API. */
const proxied = (failed: number): Series[] => [
  grows('haproxy_backend_http_requests_total{proxy="apis"}', 10_000),
  grows('haproxy_backend_http_responses_total{proxy="apis",code="2xx"}', 9_950 - failed),
  grows('haproxy_backend_http_responses_total{proxy="apis",code="5xx"}', failed + 50),
  grows('haproxy_server_http_responses_total{proxy="apis",server="api-1",code="5xx"}', 50),
  grows('haproxy_server_http_responses_total{proxy="apis",server="api-2",code="5xx"}', 0),
];
const up = (job: string, instance: string, value: number): Series =>
  stays(`up{job="${job}",instance="${instance}"}`, value);

const SANDBOX = { environment: 'sandbox' };
const LOGIN = 'environment="sandbox",api="login"';
const SUBMIT = 'environment="sandbox",api="submit"';

const CASES: readonly Case[] = [
  // 0.72 % and 0.3 % are 14.4 and 6 times 0.05 %.
  { alert: 'EinvoiceAcceptErrors', severity: 'page', firing: requests(80), quiet: requests(70) },
  { alert: 'EinvoiceAcceptErrors', severity: 'ticket', firing: requests(35), quiet: requests(25) },
  { alert: 'EinvoiceAcceptSlow', severity: 'page', firing: slow(730), quiet: slow(710) },
  { alert: 'EinvoiceAcceptSlow', severity: 'ticket', firing: slow(310), quiet: slow(290) },
  { alert: 'EinvoiceSentLate', severity: 'page', firing: sent(150), labels: SANDBOX, quiet: sent(140) },
  { alert: 'EinvoiceSentLate', severity: 'ticket', firing: sent(70), labels: SANDBOX, quiet: sent(50) },
  { alert: 'EinvoiceOutcomeLate', severity: 'page', firing: outcome(730), labels: SANDBOX, quiet: outcome(710) },
  { alert: 'EinvoiceOutcomeLate', severity: 'ticket', firing: outcome(310), labels: SANDBOX, quiet: outcome(290) },
  { alert: 'EinvoiceProxyErrors', severity: 'page', firing: proxied(80), quiet: proxied(70) },
  { alert: 'EinvoiceProxyErrors', severity: 'ticket', firing: proxied(35), quiet: proxied(25) },
  {
    alert: 'EinvoiceNoApi',
    firing: [up('einvoice-api', 'api-1', 0), up('einvoice-api', 'api-2', 0)],
    quiet: [up('einvoice-api', 'api-1', 0), up('einvoice-api', 'api-2', 1)],
  },
  {
    alert: 'EinvoiceNoProxy',
    firing: [up('haproxy', 'haproxy', 0)],
    // Without HAProxy, another proxy may be in front.
    quiet: [up('einvoice-api', 'api-1', 0)],
  },
  {
    alert: 'EinvoiceProcessDown',
    labels: { job: 'einvoice-dispatcher', instance: 'dispatcher-2' },
    firing: [up('einvoice-dispatcher', 'dispatcher-1', 1), up('einvoice-dispatcher', 'dispatcher-2', 0)],
    quiet: [up('einvoice-dispatcher', 'dispatcher-1', 1), up('of-others', 'a', 0)],
  },
  {
    alert: 'EinvoiceNoDispatcher',
    firing: [{ series: 'einvoice_figures_read', values: '1+0x10 stale' }],
    quiet: [ALIVE],
  },
  { alert: 'EinvoiceDatabaseUnread', ...gauge('einvoice_figures_read', 0, 1) },
  {
    alert: 'EinvoiceQueueStuck',
    labels: SANDBOX,
    ...gauge('einvoice_queue_oldest_seconds{environment="sandbox",state="queued"}', 301, 300),
  },
  {
    alert: 'EinvoiceQueueWaiting',
    labels: SANDBOX,
    ...gauge('einvoice_queue_oldest_seconds{environment="sandbox",state="waiting"}', 86_401, 86_400),
  },
  {
    alert: 'EinvoiceOrganisationsWaiting',
    severity: 'page',
    labels: { ...SANDBOX, reason: 'not_appointed' },
    ...gauge('einvoice_waiting_organisations{environment="sandbox",reason="not_appointed"}', 3, 2),
  },
  {
    alert: 'EinvoiceOrganisationsWaiting',
    severity: 'ticket',
    labels: { ...SANDBOX, reason: 'supplier_refused' },
    // EinvoiceQueueStuck and EinvoiceAuthorityDown cover causes that affect every organisation.
    firing: [stays('einvoice_waiting_organisations{environment="sandbox",reason="supplier_refused"}', 2)],
    quiet: [
      stays('einvoice_waiting_organisations{environment="sandbox",reason="supplier_refused"}', 1),
      stays('einvoice_waiting_organisations{environment="sandbox",reason="authority_unavailable"}', 9),
    ],
  },
  {
    alert: 'EinvoiceSubmittedStuck',
    labels: SANDBOX,
    ...gauge('einvoice_queue_oldest_seconds{environment="sandbox",state="submitted"}', 3_601, 3_600),
  },
  {
    alert: 'EinvoiceRecoveryOpen',
    // A gap in the series, as after a restart, must not restart the period of one day.
    firing: [{ series: 'einvoice_recovery_waiting_organisations', values: '3+0x700 _x30 3+0x800' }],
    quiet: [{ series: 'einvoice_recovery_waiting_organisations', values: '3+0x1300 0+0x240' }],
  },
  {
    alert: 'EinvoiceLoginRefused',
    labels: SANDBOX,
    firing: [stays(`einvoice_authority_blocked{${LOGIN},reason="client_refused"}`, 1)],
    quiet: [stays(`einvoice_authority_blocked{${LOGIN},reason="call_budget"}`, 1)],
  },
  {
    alert: 'EinvoiceAuthorityDown',
    labels: { ...SANDBOX, api: 'submit' },
    ...gauge(`einvoice_authority_breaker_open{${SUBMIT}}`, 1, 0),
  },
  {
    alert: 'EinvoiceBudgetUsedUp',
    labels: { ...SANDBOX, api: 'submit' },
    firing: [
      stays(`einvoice_authority_budget_calls_per_minute{${SUBMIT}}`, 98),
      grows(`einvoice_authority_calls_total{${SUBMIT},result="accepted"}`, 90),
    ],
    quiet: [
      stays(`einvoice_authority_budget_calls_per_minute{${SUBMIT}}`, 98),
      grows(`einvoice_authority_calls_total{${SUBMIT},result="accepted"}`, 80),
    ],
  },
  {
    alert: 'EinvoiceDoubtsToDecide',
    labels: SANDBOX,
    ...gauge('einvoice_doubts_to_decide{environment="sandbox"}', 1, 0),
  },
  {
    alert: 'EinvoiceClockDifference',
    labels: SANDBOX,
    ...gauge('einvoice_authority_clock_difference_seconds{environment="sandbox"}', -61, 59),
  },
  { alert: 'EinvoiceCreditsDeviate', ...counter('einvoice_credit_deviations_total', 1, 0) },
  {
    alert: 'EinvoiceDeadLetters',
    labels: { consumer: 'nightly' },
    ...counter('einvoice_event_dead_letters_total{consumer="nightly"}', 1, 0),
  },
  {
    alert: 'EinvoiceLoopErrors',
    labels: { loop: 'poll' },
    ...counter('einvoice_dispatcher_errors_total{loop="poll"}', 4, 2),
  },
  {
    alert: 'EinvoicePoolWaits',
    labels: { pool: 'einvoice-api' },
    firing: timed('einvoice_database_wait_seconds', 'pool="einvoice-api"', { le: '0.5', late: 60 }),
    quiet: timed('einvoice_database_wait_seconds', 'pool="einvoice-api"', { le: '0.5', late: 40 }),
  },
  {
    alert: 'EinvoiceEventLoopBlocked',
    labels: { instance: 'api-1' },
    ...gauge('nodejs_eventloop_lag_p99_seconds{instance="api-1"}', 0.3, 0.2),
  },
];

it('the alert rules pass promtool', async () => {
  expect(await checkRules()).toMatchObject({ isGood: true, output: expect.stringContaining('rules found') as string });
});

it('the test cases cover every alert and severity', () => {
  const alerts = readAlerts().map(({ name, severity }) => `${name} ${severity}`);
  const cased = CASES.map(({ alert, severity }) => `${alert} ${severity ?? severityOf(alert)}`);
  expect([...cased].sort()).toEqual([...alerts].sort());
});

function severityOf(alert: string): string {
  return readAlerts().find(({ name }) => name === alert)?.severity ?? '';
}

// If an alert has both severities, a page implies a ticket.
function expectFiring({ alert, severity, labels = {} }: Case): Expected[] {
  const also = severity === 'page' && readAlerts().filter(({ name }) => name === alert).length > 1 ? ['ticket'] : [];
  const firing = [severity ?? severityOf(alert), ...also].map((each) => ({ severity: each, ...labels }));
  return [{ alert, firing, minute: minuteOf(alert) }];
}

it.each(CASES.map((each) => [each.alert, each.severity ?? '', each] as const))(
  '%s %s fires only above its threshold',
  async (alert, severity, { quiet, ...rest }) => {
    const fires = { series: rest.firing, expected: expectFiring({ quiet, ...rest }) };
    expect(await playScenes([fires])).toMatchObject({ isGood: true });
    const below = severity === 'page' && hasTicket(alert) ? [{ severity: 'ticket', ...rest.labels }] : [];
    const isQuiet = { series: quiet, expected: [{ alert, firing: below, minute: minuteOf(alert) }] };
    expect(await playScenes([isQuiet])).toMatchObject({ isGood: true });
  },
  120_000,
);

/** Two requests per minute. One fails every three minutes, the last one in minute 370. */
function few(requested: string, failing: string, failed: number): Series[] {
  const values = Array.from({ length: 371 }, (_, minute) => Math.max(0, failed - Math.floor((370 - minute) / 3)));
  return [grows(requested, 2), { series: failing, values: values.join(' ') }];
}
const fewRequests = (failed: number): Series[] =>
  few(`${ACCEPT}_count{${ROUTE},status="200"}`, `${ACCEPT}_count{${ROUTE},status="503"}`, failed);
const fewProxied = (failed: number): Series[] => {
  const [backend, server] = ['backend', 'server'].map(
    (of) => `haproxy_${of}_http_responses_total{proxy="apis",code="5xx"}`,
  );
  return [...few('haproxy_backend_http_requests_total{proxy="apis"}', backend, failed), stays(server, 0)];
};

it.each([
  ['EinvoiceAcceptErrors', fewRequests],
  ['EinvoiceProxyErrors', fewProxied],
] as const)('%s fires for ten errors among few requests but not for four', async (alert, ofFew) => {
  const expectOf = (firing: Expected['firing']): Expected[] => [{ alert, firing, minute: 370 }];
  const both = [{ severity: 'page' }, { severity: 'ticket' }];
  for (const failed of [1, 4]) {
    const { isGood, output } = await playScenes([{ series: ofFew(failed), expected: expectOf([]) }]);
    expect(isGood, output).toBe(true);
  }
  expect(await playScenes([{ series: ofFew(10), expected: expectOf(both) }])).toMatchObject({ isGood: true });
});

// Alerts with two severities have six-hour windows, others one-hour windows. A recovery may take a day.
function minuteOf(alert: string): number {
  if (alert === 'EinvoiceRecoveryOpen') return 1_500;
  return readAlerts().filter(({ name }) => name === alert).length > 1 ? 375 : 60;
}

function hasTicket(alert: string): boolean {
  return readAlerts().some(({ name, severity }) => name === alert && severity === 'ticket');
}
