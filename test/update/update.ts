import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Client } from 'pg';
import { AUDIT_CREDITS } from '../../src/credits/credit-audit.js';
import { migrate } from '../../src/processes/migrate.js';
import type { Closing } from '../../standalone/program.js';
import type { Finding } from '../chaos/checks/evidence.js';
import { waitForQuiescence, findLeftovers } from '../chaos/checks/quiescence.js';
import { judge } from '../chaos/checks/verdict.js';
import { type ApiNode, Cluster, type Node } from '../chaos/cluster/cluster.js';
import { History } from '../chaos/load/history.js';
import { Load } from '../chaos/load/load.js';
import type { ChaosTenant } from '../chaos/load/tenants.js';
import { Haproxy } from './haproxy.js';
import type { PreviousBuild } from './previous-build.js';
import { SteadyRequests } from './steady-requests.js';

const TIMES = { deadline: 3, lease: 6, grace: 2, secondLook: 2 };
const SIMULATOR = {
  validationDelayMs: 200,
  visibilityDelayMs: 100,
  searchLagMs: 200,
  lateAnswerMs: 4_500,
  // Our zero is our own.
  duplicateRules: false,
  documentsMax: 1_000_000,
};
/** Those of deploy/haproxy/haproxy.cfg. */
const APIS = 2;
/** Longer than HAProxy takes to notice; the usual 10 would only make the check longer. */
const DRAIN_SECONDS = 6;
const TENANTS = 3;
const CREDITS = 100_000;
const SEED = 11;
/** More than the steps need: who has seen the last of them stops. */
const DOCUMENTS = 10_000;
const SPREAD_MS = 400_000;
/** Accepted between two steps of the update, so that each state of it has its traffic. */
const DOCUMENTS_PER_STEP = 100;
const DOCUMENTS_PER_API = 50;
const STEP_MS_MAX = 60_000;
const STALL_MS_MAX = 60_000;
const POLL_MS = 50;

export interface UpdateResult {
  readonly findings: readonly Finding[];
  /** What no client and no operator may see during an update, or on the way back. */
  readonly errors: readonly string[];
  readonly documents: number;
}

interface UpdateTools {
  readonly dist: string;
  readonly previous: PreviousBuild;
  readonly progress: (text: string) => void;
  readonly closing: Closing;
}

/**
 * The previous build at work, the migration, this build next to it and then alone, and the previous build again, next to
 * it and then alone; judged as chaos is.
 */
export async function runUpdate(tools: UpdateTools): Promise<UpdateResult> {
  const { dist, previous, closing } = tools;
  const since = new Date(Date.now() - 1_000);
  const cluster = await Cluster.start({
    dist,
    firstDist: previous.dist,
    apis: APIS,
    drainSeconds: DRAIN_SECONDS,
    dispatchers: 1,
    times: TIMES,
    rateFactor: 0,
    simulator: SIMULATOR,
  });
  let isClean = false;
  try {
    await closing.add({ close: () => Promise.resolve(), kill: () => cluster.kill() });
    const tenants = await createTenants(cluster, previous);
    const history = new History(cluster.directory);
    const ports = cluster.apis.map(({ url }) => Number(new URL(url).port));
    const haproxy = await Haproxy.start(path.join(path.dirname(dist), 'deploy'), ports, cluster.directory);
    await closing.add({ close: () => haproxy.stop(), kill: () => haproxy.kill() });
    const servers = cluster.apis.map((_, index) => `api-${index + 1}`);
    for (const server of servers) await haproxy.waitUntilUp(server, closing.signal);
    const refused: string[] = [];
    const steady = new SteadyRequests(haproxy.url, tenants[0].apiKey);
    await closing.add({ close: () => steady.stop() });
    const load = await takeOver(cluster, { tenants, history, haproxy, refused }, tools);
    const isAtRest = await waitForQuiescence(cluster, { stalledMsMax: STALL_MS_MAX, signal: closing.signal });
    tools.progress(isAtRest ? 'every document has its outcome' : 'it does not come to rest');
    load.giveUp();
    await steady.stop();
    tools.progress(`${steady.sent} other requests, ${steady.failed.length} of which failed`);
    await history.close();
    const audit = await cluster.query(AUDIT_CREDITS, [null, '-infinity']);
    const leftovers = await findLeftovers(cluster);
    const misdeeds = cluster.nodes.flatMap(({ program }) => program.violations);
    const shared = { calls: [], leftovers, violations: misdeeds, departures: [], unanswered: load.unanswered };
    const { findings } = await judge(cluster, { tenants, history, since, shared });
    const errors = [
      ...refused,
      ...steady.failed.slice(0, ERRORS_SHOWN),
      ...load.failed.map((what) => `a client's request failed: ${what}`),
      ...(await loggedErrors(cluster)),
      ...audit.map((row) => `the audit of the credits: ${JSON.stringify(row)}`),
    ];
    isClean = findings.length + errors.length === 0;
    return { findings, errors, documents: load.budget.accepted };
  } catch (error) {
    const logged = (await loggedErrors(cluster)).slice(0, ERRORS_SHOWN);
    throw new Error([String(error), ...logged].join('\n'), { cause: error });
  } finally {
    await cluster.destroy({ keepsLogs: !isClean });
    if (!isClean) tools.progress(`logs and database are left in ${cluster.directory}`);
  }
}

/** Made by the previous build's own code, as its operators made them. */
async function createTenants(cluster: Cluster, previous: PreviousBuild): Promise<ChaosTenant[]> {
  const file = pathToFileURL(path.join(previous.dist, 'test/chaos/load/tenants.js')).href;
  const { createTenant } = (await import(file)) as {
    createTenant(owner: Client, number: number, credits: number): Promise<ChaosTenant>;
  };
  const client = await cluster.connect();
  try {
    const tenants: ChaosTenant[] = [];
    for (let number = 1; number <= TENANTS; number += 1) tenants.push(await createTenant(client, number, CREDITS));
    return tenants;
  } finally {
    await client.end();
  }
}

/** The update and the way back, step by step, with clients at work before, during and after each step. */
async function takeOver(
  cluster: Cluster,
  { tenants, history, haproxy, refused }: Traffic,
  { dist, previous, progress, closing }: UpdateTools,
): Promise<Load> {
  const load = new Load({
    urls: [haproxy.url],
    tenants,
    history,
    documents: DOCUMENTS,
    seed: SEED,
    spreadMs: SPREAD_MS,
    isForEveryBuild: true,
    onSend: ({ path: where, status }) => {
      if (status !== null && status >= 500) refused.push(`a client got ${status} for ${where}`);
    },
  });
  const until = (what: string, holds: () => Promise<boolean>): Promise<void> => waitUntil(what, holds, closing.signal);
  const untilAccepted = (documents: number): Promise<void> => {
    const wanted = load.budget.accepted + documents;
    return until(`${wanted} accepted documents`, () => Promise.resolve(load.budget.accepted >= wanted));
  };
  const report = (what: string): void => progress(`${load.budget.accepted} documents; ${what}`);
  const replaceDispatcher = async (running: Node, build: string): Promise<Node> => {
    const next = await cluster.addDispatcher(build);
    await untilAccepted(DOCUMENTS_PER_STEP);
    // Documents with more than the first build states are left alone by its dispatchers (docs/operations.md#replicas).
    await until('the end of what only later builds send', () => hasSentLaterPayloads(cluster));
    await running.program.stop();
    return next;
  };
  // As deploy/README.md has it: one is stopped and started again, and the next one when HAProxy calls it up.
  const replaceApi = async (running: ApiNode, server: string, build: string): Promise<ApiNode> => {
    // A build from before DRAIN_SECONDS refuses requests as soon as it is told to stop: it is taken out by hand.
    const isTakenOut = build === dist && !canDrain(previous.dist);
    if (isTakenOut) {
      await haproxy.setState(server, 'drain');
      await untilAccepted(DOCUMENTS_PER_API);
    }
    await running.program.stop();
    const next = await cluster.addApi(build, Number(new URL(running.url).port));
    if (isTakenOut) await haproxy.setState(server, 'ready');
    await haproxy.waitUntilUp(server, closing.signal);
    report(`${server} is replaced`);
    await untilAccepted(DOCUMENTS_PER_API);
    return next;
  };
  const replaceApis = async (running: readonly ApiNode[], build: string): Promise<ApiNode[]> => {
    const next: ApiNode[] = [];
    for (const [index, api] of running.entries()) next.push(await replaceApi(api, `api-${index + 1}`, build));
    return next;
  };
  try {
    await until('a valid document of every tenant', () => isEveryTenantValid(cluster));
    await untilAccepted(DOCUMENTS_PER_STEP);
    const { migrations, functions } = await migrate(cluster.ownerUrl);
    report(`migrated under load: ${[...migrations, ...functions].join(', ') || 'nothing to migrate'}`);
    await untilAccepted(DOCUMENTS_PER_STEP);
    const dispatcher = await replaceDispatcher(cluster.dispatchers[0], dist);
    const apis = await replaceApis([...cluster.apis], dist);
    report('this build runs alone');
    await replaceApis(apis, previous.dist);
    await replaceDispatcher(dispatcher, previous.dist);
    report('the previous build, on the new schema, runs alone');
    await untilAccepted(DOCUMENTS_PER_STEP);
    load.budget.close();
    await Promise.race([load.done, wait(STEP_MS_MAX, undefined, { signal: closing.signal, ref: false })]);
    return load;
  } catch (error) {
    load.giveUp();
    throw error;
  }
}

/** What clients send, the way that it takes, and what it is refused. */
interface Traffic {
  readonly tenants: readonly ChaosTenant[];
  readonly history: History;
  readonly haproxy: Haproxy;
  readonly refused: string[];
}

function canDrain(dist: string): boolean {
  return existsSync(path.join(dist, 'src/health/drain.service.js'));
}

async function isEveryTenantValid(cluster: Cluster): Promise<boolean> {
  const [{ valid }] = await cluster.query<{ valid: string }>(
    `SELECT count(DISTINCT tenant_id) AS valid FROM document_transaction WHERE authority_status = 'Valid'`,
  );
  return Number(valid) === TENANTS;
}

/** The first build's payloads have the lowest version. */
async function hasSentLaterPayloads(cluster: Cluster): Promise<boolean> {
  const [{ waiting }] = await cluster.query<{ waiting: string }>(
    `SELECT count(*) AS waiting FROM document_transaction
      WHERE submission_status IN ('Queued', 'Processing')
        AND payload_version > (SELECT min(payload_version) FROM document_transaction)`,
  );
  return Number(waiting) === 0;
}

async function waitUntil(what: string, holds: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  const giveUpAt = performance.now() + STEP_MS_MAX;
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error(`Waited in vain for ${what}`);
    await wait(POLL_MS, undefined, { signal });
  }
}

const ERROR_LEVEL = 50;
const READY_ROUTE = '/api/health/ready';
const ERRORS_SHOWN = 5;

/**
 * Answers of 5xx and errors that any process logged; and an API that served nobody, since then nothing was seen of it.
 */
async function loggedErrors(cluster: Cluster): Promise<string[]> {
  const errors: string[] = [];
  for (const { program } of cluster.nodes) {
    const text = await readFile(path.join(cluster.directory, `${program.name}.log`), 'utf8');
    // Of which a process that stops says that it is not ready.
    const lines = text
      .split('\n')
      .flatMap(asLogLine)
      .filter(({ route }) => route !== READY_ROUTE);
    const bad = lines.filter(({ level, status }) => level >= ERROR_LEVEL || (status ?? 0) >= 500);
    errors.push(...bad.map((line) => `${program.name} logged ${JSON.stringify(line)}`));
    const isIdle = program.name.startsWith('api') && !lines.some(({ status }) => status === 200);
    if (isIdle) errors.push(`${program.name} has served nobody`);
  }
  return errors;
}

interface LogLine {
  readonly level: number;
  readonly route?: string;
  readonly status?: number;
}

function asLogLine(text: string): LogLine[] {
  try {
    return [JSON.parse(text) as LogLine];
  } catch {
    return [];
  }
}
