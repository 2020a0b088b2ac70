import type { Closing } from '../../standalone/program.js';
import type { Send } from '../chaos/load/caller.js';
import type { AuthorityCall, Finding } from '../chaos/checks/evidence.js';
import { findLeftovers, waitForQuiescence } from '../chaos/checks/quiescence.js';
import { judge } from '../chaos/checks/verdict.js';
import { Cluster } from '../chaos/cluster/cluster.js';
import { SUBMIT_PATH } from '../chaos/load/client.js';
import { History } from '../chaos/load/history.js';
import { Load } from '../chaos/load/load.js';
import { type ChaosTenant, createTenant } from '../chaos/load/tenants.js';
import { Client } from 'pg';
import { type Browser, signUp } from '../support/dashboard.js';
import { until } from '../support/until.js';
import { findOutage } from './outage.js';
import { PatroniCluster } from './patroni-cluster.js';
import { KIND_NAMES, KINDS, type KindName } from './rounds.js';

const TIMES = { deadline: 3, lease: 6, grace: 2, secondLookup: 2 };
const SIMULATOR = {
  validationDelayMs: 500,
  visibilityDelayMs: 300,
  searchLagMs: 1_000,
  // The service must prevent duplicates itself.
  duplicateRules: false,
  checkTotals: true,
  documentsMax: 10_000_000,
};
const TENANTS = 4;
const CREDITS = 10_000_000;
const DOCUMENTS_PER_SECOND = 8;
/** Far longer than any round, because the last round ends the load. */
const ROUND_MS_MAX = 300_000;
const STALL_MS_MAX = 120_000;
const STANDBY_MS_MAX = 20_000;

export interface FailoverOptions {
  readonly rounds: number;
  readonly kinds: readonly KindName[];
  readonly seed: number;
}

export interface RoundResult {
  readonly kind: KindName;
  /** Seconds from the failure until submits are accepted again, or 0 if no submit failed or was slow. */
  readonly seconds: number;
}

export interface FailoverRun {
  readonly rounds: readonly RoundResult[];
  readonly findings: readonly Finding[];
  readonly documents: number;
}

interface RunTools {
  /** Folder of the build under test. */
  readonly dist: string;
  readonly progress: (text: string) => void;
  readonly closing: Closing;
}

/** Runs load during failures of the database servers, waits for all outcomes, and runs the checks of the chaos run. */
export async function runFailover(options: FailoverOptions, tools: RunTools): Promise<FailoverRun> {
  const { dist, progress, closing } = tools;
  const since = new Date(Date.now() - 1_000);
  const startDatabase = async (directory: string): Promise<PatroniCluster> => {
    const database = await PatroniCluster.start(directory);
    await closing.add({ close: () => database.stop(), kill: () => database.kill() });
    progress(`three servers are in step; logs in ${directory}`);
    return database;
  };
  const services = { dist, apis: 2, dispatchers: 2, times: TIMES, rateFactor: 0, simulator: SIMULATOR };
  const cluster = await Cluster.startOn(startDatabase, services);
  let isClean = false;
  try {
    await closing.add({ close: () => Promise.resolve(), kill: () => cluster.kill() });
    const history = new History(cluster.directory);
    const tenants = await createTenants(cluster);
    const { browser } = await signUp({ url: cluster.apis[0].url });
    const { rounds, load, problems } = await playRounds({ cluster, history, tenants, browser, options }, tools);
    progress('the rounds are over');
    load.budget.close();
    const isQuiescent = await waitForOutcomes(cluster, load, closing.signal);
    await history.close();
    const leftovers = await findLeftovers(cluster);
    const violations = [...problems, ...cluster.nodes.flatMap(({ program }) => program.violations)];
    const calls: AuthorityCall[] = [];
    for await (const call of cluster.simulator.calls()) calls.push(call);
    const shared = { calls, leftovers, violations, departures: [], unanswered: load.unanswered };
    const { findings } = await judge(cluster, { tenants, history, since, shared });
    isClean = findings.length === 0 && isQuiescent;
    return { rounds, findings, documents: load.budget.accepted };
  } finally {
    await cluster.destroy({ keepsLogs: !isClean });
    if (!isClean) progress(`logs are left in ${cluster.directory}`);
  }
}

interface RunSetup {
  readonly cluster: Cluster<PatroniCluster>;
  readonly history: History;
  readonly tenants: readonly ChaosTenant[];
  readonly browser: Browser;
  readonly options: FailoverOptions;
}

async function playRounds(
  { cluster, history, tenants, browser, options }: RunSetup,
  { progress, closing }: RunTools,
): Promise<{ rounds: RoundResult[]; load: Load; problems: string[] }> {
  const spreadMs = options.rounds * ROUND_MS_MAX;
  const documents = Math.ceil((spreadMs / 1_000) * DOCUMENTS_PER_SECOND);
  const urls = cluster.apis.map(({ url }) => url);
  const submits: Send[] = [];
  const onSend = (send: Send): void => void (send.path === SUBMIT_PATH && submits.push(send));
  const load = new Load({ urls, tenants, documents, seed: options.seed, history, spreadMs, onSend });
  const untilAccepted = async (): Promise<void> => {
    const { accepted } = load.budget;
    await until('a submit is accepted', () => load.budget.accepted > accepted);
  };
  const rounds: RoundResult[] = [];
  const problems: string[] = [];
  for (let number = 0; number < options.rounds; number += 1) {
    const kind = options.kinds[number % options.kinds.length];
    await untilAccepted();
    closing.signal.throwIfAborted();
    const strikeAt = performance.now();
    const repair = await KINDS[kind].strike(cluster.postgres);
    await untilAccepted();
    repair();
    await cluster.postgres.untilWhole();
    await untilAccepted();
    const seconds = findOutage(submits, strikeAt);
    rounds.push({ kind, seconds });
    progress(`${number + 1}/${options.rounds} ${kind}: accepted again after ${seconds.toFixed(1)} s`);
    problems.push(...(await findProblems(cluster.postgres, browser)).map((what) => `${kind}: ${what}`));
  }
  return { rounds, load, problems };
}

/** Checks the guarantees after a round. */
async function findProblems(database: PatroniCluster, browser: Browser): Promise<string[]> {
  const { status } = await browser.get('/session');
  const signedOut = status === 200 ? [] : [`a session of the dashboard gets ${status}`];
  const primary = await database.findByRole('leader');
  const standbys = database.machines.filter(({ name }) => name !== primary.name);
  const problems = await Promise.all(
    standbys.map(async (machine) => {
      const url = database.machineUrl(machine, 'einvoice');
      // A standby that is still starting rejects connections.
      const isUnused = async (): Promise<boolean> => (await countConnections(url).catch(() => null)) === 0;
      const hasNone = until(`no process is connected to the standby ${machine.name}`, isUnused, STANDBY_MS_MAX);
      return hasNone.then(
        () => [],
        (error: Error) => [error.message],
      );
    }),
  );
  return [...signedOut, ...problems.flat()];
}

async function countConnections(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const text = `SELECT count(*)::int AS open FROM pg_stat_activity WHERE usename LIKE 'einvoice%'`;
    return (await client.query<{ open: number }>(text)).rows[0].open;
  } finally {
    await client.end();
  }
}

async function waitForOutcomes(cluster: Cluster<PatroniCluster>, load: Load, signal: AbortSignal): Promise<boolean> {
  let isDone = false;
  const done = load.done.then(() => (isDone = true));
  await until('the clients have their responses', () => isDone || signal.aborted, STALL_MS_MAX).catch(() =>
    load.giveUp(),
  );
  await done;
  return waitForQuiescence(cluster, { stalledMsMax: STALL_MS_MAX, signal });
}

async function createTenants(cluster: Cluster<PatroniCluster>): Promise<ChaosTenant[]> {
  const client = await cluster.connect();
  try {
    const tenants: ChaosTenant[] = [];
    for (let number = 1; number <= TENANTS; number += 1) tenants.push(await createTenant(client, number, CREDITS));
    return tenants;
  } finally {
    await client.end();
  }
}

/** Lists the kinds with outages above their limits. */
export function findSlowKinds(rounds: readonly RoundResult[]): string[] {
  return KIND_NAMES.flatMap((kind) => {
    const seconds = rounds.filter((round) => round.kind === kind).map((round) => round.seconds);
    const { median = Infinity, each = Infinity } = KINDS[kind].secondsMax ?? {};
    const slow = [
      ...(readMedian(seconds) > median ? [`the median is above ${median} s`] : []),
      ...(Math.max(0, ...seconds) > each ? [`one is above ${each} s`] : []),
    ];
    return slow.map((what) => `${kind}: ${what}`);
  });
}

export function readMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
