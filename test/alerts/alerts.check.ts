import { expect, it } from 'vitest';
import { checkRules, type Expected, playScenes, type Series } from './promtool.js';
import { readAlerts } from './rules.js';

// Each alert fires for what it is there for, and is quiet for what comes next to it.

interface Case {
  readonly alert: string;
  readonly severity?: string;
  readonly firing: readonly Series[];
  readonly labels?: Record<string, string>;
  readonly quiet: readonly Series[];
}

/** A counter that grows by so much each minute. */
const grows = (series: string, each: number): Series => ({ series, values: `0+${each}x420` });
const stays = (series: string, value: number): Series => ({ series, values: `${value}+0x420` });

const ACCEPT = 'einvoice_http_request_duration_seconds';
const ROUTE = 'route="/api/v1/einvoice/submit",method="POST"';
const ALIVE = stays('einvoice_figures_read', 1);

function requests(failed: number): Series[] {
  return [
    grows(`${ACCEPT}_count{${ROUTE},status="200"}`, 10_000 - failed),
    grows(`${ACCEPT}_count{${ROUTE},status="503"}`, failed),
    // Of what clients do wrong, and of other routes, nothing counts.
    grows(`${ACCEPT}_count{${ROUTE},status="422"}`, 0),
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

const slow = (late: number): Series[] => timed(ACCEPT, `${ROUTE},status="200"`, { le: '0.3', late });
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

it('promtool accepts the rules', async () => {
  expect(await checkRules()).toMatchObject({ isGood: true, output: expect.stringContaining('rules found') as string });
});

it('has a case for every alert of every severity', () => {
  const alerts = readAlerts().map(({ name, severity }) => `${name} ${severity}`);
  const cased = CASES.map(({ alert, severity }) => `${alert} ${severity ?? severityOf(alert)}`);
  expect([...cased].sort()).toEqual([...alerts].sort());
});

function severityOf(alert: string): string {
  return readAlerts().find(({ name }) => name === alert)?.severity ?? '';
}

// Both severities fire where the graver one does.
function expectFiring({ alert, severity, labels = {} }: Case): Expected[] {
  const also = severity === 'page' && readAlerts().filter(({ name }) => name === alert).length > 1 ? ['ticket'] : [];
  const firing = [severity ?? severityOf(alert), ...also].map((each) => ({ severity: each, ...labels }));
  return [{ alert, firing, minute: minuteOf(alert) }];
}

it.each(CASES.map((each) => [each.alert, each.severity ?? '', each] as const))(
  '%s %s fires for its cause, and not just below it',
  async (alert, severity, { quiet, ...rest }) => {
    const fires = { series: rest.firing, expected: expectFiring({ quiet, ...rest }) };
    expect(await playScenes([fires])).toMatchObject({ isGood: true });
    const below = severity === 'page' && hasTicket(alert) ? [{ severity: 'ticket', ...rest.labels }] : [];
    const isQuiet = { series: quiet, expected: [{ alert, firing: below, minute: minuteOf(alert) }] };
    expect(await playScenes([isQuiet])).toMatchObject({ isGood: true });
  },
  120_000,
);

// The promises have windows of six hours, the others of one.
function minuteOf(alert: string): number {
  return readAlerts().filter(({ name }) => name === alert).length > 1 ? 375 : 60;
}

function hasTicket(alert: string): boolean {
  return readAlerts().some(({ name, severity }) => name === alert && severity === 'ticket');
}
