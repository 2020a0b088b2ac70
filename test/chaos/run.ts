import { setTimeout as wait } from 'node:timers/promises';
import type { AuthorityCall } from './checks/evidence.js';
import { isOverLimit } from './checks/shared.js';
import { waitForQuiescence, findLeftovers } from './checks/quiescence.js';
import { judge, type Verdict } from './checks/verdict.js';
import { Cluster, type ClusterTimes } from './cluster/cluster.js';
import { type Deliveries, finishDeliveries } from './dead-letters.js';
import type { CallCounts } from './cluster/simulator.js';
import { Injector, type Span } from './faults/inject.js';
import type { Closing } from '../../standalone/program.js';
import { RUNS } from './faults/runs.js';
import { History } from './load/history.js';
import { Load } from './load/load.js';
import { type ChaosTenant, createTenant } from './load/tenants.js';
import type { ChaosOptions } from './options.js';

const TIMES: ClusterTimes = { deadline: 3, lease: 6, grace: 2, secondLookup: 2 };
const LATE_RESPONSE_MS = 4_500;
const SIMULATOR = {
  validationDelayMs: 500,
  visibilityDelayMs: 300,
  searchLagMs: 1_000,
  lateAnswerMs: LATE_RESPONSE_MS,
  // The service must prevent duplicates itself.
  duplicateRules: false,
  // Documents with wrong totals must not become valid.
  checkTotals: true,
  // The checks need all documents.
  documentsMax: 10_000_000,
};
const NODES = { apis: 2, dispatchers: 2 };

const TENANTS_MIN = 6;
// A search lists 10,000 documents of a taxpayer at most.
const DOCUMENTS_PER_TENANT_MAX = 4_000;
const CREDITS = 10_000_000;
/** Credits of the tenant that runs out of credits. */
const LOW_BALANCE_CREDITS = 40;

const PROGRESS_MS = 15_000;
// Longer than the longest pause between two polls of a submission (300 s plus jitter).
const STALL_MS_MAX = 400_000;
// Longest wait for the last responses to the clients.
const RESPONSES_MS_MAX = 60_000;

export interface ChaosRun {
  readonly options: ChaosOptions;
  readonly verdict: Verdict;
  readonly faults: Readonly<Record<string, number>>;
  readonly documents: number;
  readonly calls: number;
  readonly tenants: number;
  /** Time from the last fault until all documents had their outcome, or null if some did not get one. */
  readonly quietSeconds: number | null;
  readonly doubts: Doubts;
  readonly deliveries: Deliveries;
  readonly callCounts: Readonly<Record<string, CallCounts>>;
  readonly seconds: number;
}

export interface Doubts {
  readonly resent: number;
  readonly adopted: number;
}

interface RunTools {
  readonly dist: string;
  readonly progress: (text: string) => void;
  readonly closing: Closing;
}

/** Runs load under faults, waits for all outcomes, and runs the checks. Keeps the logs if there are findings. */
export async function runChaos(options: ChaosOptions, tools: RunTools): Promise<ChaosRun> {
  const { dist, progress, closing } = tools;
  const startedAt = performance.now();
  const since = new Date(Date.now() - 1_000);
  const { rateFactor } = RUNS[options.faults];
  const cluster = await Cluster.start({
    ...NODES,
    dist,
    times: TIMES,
    rateFactor,
    simulator: SIMULATOR,
    hasConsumers: true,
  });
  let isClean = false;
  try {
    await closing.add({ close: () => Promise.resolve(), kill: () => cluster.kill() });
    const history = new History(cluster.directory);
    const tenants = await createTenants(cluster, options.documents);
    const { load, injector } = await runLoadWithFaults({ cluster, history, tenants, options }, tools);
    const quietSeconds = await waitForOutcomes({ cluster, load }, tools);
    await history.close();
    progress(
      quietSeconds === null ? 'some documents have no outcome' : `all outcomes after ${Math.round(quietSeconds)} s`,
    );
    const deliveries = await finishDeliveries(cluster, { progress, signal: closing.signal });
    const doubts = await readDoubts(cluster);
    const leftovers = await findLeftovers(cluster);
    const violations = cluster.nodes.flatMap(({ program }) => program.violations);
    const calls = await listRelevantCalls(cluster, injector.throttled);
    const callCounts = await cluster.simulator.callCounts();
    // The searches of the checks must not be rate-limited.
    await cluster.simulator.control('settings', { rateFactor: 0 });
    const departures = deliveries.problems;
    const shared = { calls, leftovers, violations, departures, unanswered: load.unanswered };
    const verdict = await judge(cluster, { tenants, history, since, shared });
    isClean = verdict.findings.length === 0;
    return {
      options,
      verdict,
      doubts,
      deliveries,
      callCounts,
      quietSeconds,
      documents: load.budget.accepted,
      calls: load.calls,
      tenants: tenants.length,
      faults: Object.fromEntries([...injector.done].sort(([a], [b]) => a.localeCompare(b))),
      seconds: (performance.now() - startedAt) / 1_000,
    };
  } finally {
    await cluster.destroy({ keepsLogs: !isClean });
    if (!isClean) progress(`logs and database are kept in ${cluster.directory}`);
  }
}

interface RunSetup {
  readonly cluster: Cluster;
  readonly history: History;
  readonly tenants: readonly ChaosTenant[];
  readonly options: ChaosOptions;
}

/** Runs load and faults until the last fault is over. */
async function runLoadWithFaults(
  { cluster, history, tenants, options }: RunSetup,
  { progress, closing }: RunTools,
): Promise<{ load: Load; injector: Injector }> {
  const { documents, kills, seed } = options;
  const plan = RUNS[options.faults].plan({ seed, kills, targets: cluster.nodes.map(({ program }) => program.name) });
  progress(`${plan.faults.length} faults in ${Math.round(plan.endMs / 1_000)} s; logs in ${cluster.directory}`);
  const urls = cluster.apis.map(({ url }) => url);
  const load = new Load({ urls, tenants, documents, seed, history, spreadMs: plan.endMs });
  const injector = new Injector(cluster);
  const reporter = setInterval(() => progress(`${load.budget.accepted} documents acknowledged`), PROGRESS_MS);
  try {
    await injector.run(plan, closing.signal);
  } finally {
    clearInterval(reporter);
  }
  return { load, injector };
}

/** Returns the seconds until all documents had their outcome, or null if there was no more progress. */
async function waitForOutcomes(
  { cluster, load }: { cluster: Cluster; load: Load },
  { progress, closing }: RunTools,
): Promise<number | null> {
  progress('the faults are over');
  const quietFrom = performance.now();
  const { signal } = closing;
  await Promise.race([load.done, wait(STALL_MS_MAX, undefined, { signal })]);
  progress(`${load.budget.accepted} documents acknowledged, the clients have finished`);
  let stepsLeft = Infinity;
  const reporter = setInterval(() => progress(`${stepsLeft} steps left`), PROGRESS_MS);
  const isQuiescent = await waitForQuiescence(cluster, {
    stalledMsMax: STALL_MS_MAX,
    signal,
    onPoll: (left) => (stepsLeft = left),
  }).finally(() => clearInterval(reporter));
  const quietMs = performance.now() - quietFrom;
  load.giveUp();
  await Promise.race([load.done, wait(RESPONSES_MS_MAX, undefined, { signal })]);
  return isQuiescent ? quietMs / 1_000 : null;
}

async function createTenants(cluster: Cluster, documents: number): Promise<ChaosTenant[]> {
  const count = Math.max(TENANTS_MIN, Math.ceil(documents / DOCUMENTS_PER_TENANT_MAX));
  const client = await cluster.connect();
  try {
    const tenants: ChaosTenant[] = [];
    for (let number = 1; number <= count; number += 1) {
      tenants.push(await createTenant(client, number, number === 1 ? LOW_BALANCE_CREDITS : CREDITS));
    }
    return tenants;
  } finally {
    await client.end();
  }
}

/**
 * Lists rate-limited calls, and all calls within the spans. Outside the spans, a fault may have prevented the service
 * from receiving a 429.
 */
async function listRelevantCalls(cluster: Cluster, spans: readonly Span[]): Promise<AuthorityCall[]> {
  const calls: AuthorityCall[] = [];
  for await (const call of cluster.simulator.calls()) {
    if (isOverLimit(call) || spans.some(({ from, to }) => call.at >= from && call.at <= to)) calls.push(call);
  }
  return calls;
}

async function readDoubts(cluster: Cluster): Promise<Doubts> {
  const [doubts] = await cluster.query<{ resent: string; adopted: string }>(
    `SELECT (SELECT count(*) FROM authority_submission WHERE sends > 1) AS resent,
            (SELECT count(*) FROM status_event WHERE cause LIKE 'adopted%') AS adopted`,
  );
  return { resent: Number(doubts.resent), adopted: Number(doubts.adopted) };
}
