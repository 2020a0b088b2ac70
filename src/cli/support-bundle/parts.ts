import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readdir, readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { DataSource } from 'typeorm';
import { parseJsonText } from '../../common/parse-json-text.js';
import { MovableClock9000000000000 } from '../../database/movable-clock.js';
import { readQueue } from '../../queue-operations/queue-report.js';
import { examine } from '../doctor/findings.js';
import { checkSettings } from '../doctor/settings-findings.js';
import type { CommandContext } from '../command-context.js';
import { describeSettings, keepOwnMetrics, LEFT_OUT, redactLogLine, redactText, stripValues } from './redact.js';
import {
  CONNECTIONS,
  LONG_TRANSACTIONS,
  MIGRATIONS,
  RECOVERIES,
  SERVER,
  TABLES,
  TASKS,
  WAITING_LOCKS,
} from './state.sql.js';

/** What a part reads from. */
export interface Sources {
  readonly context: CommandContext;
  /** @throws Error if the database cannot be reached */
  readonly database: () => Promise<DataSource>;
  readonly logFile: string | null;
  /** Base addresses of metrics pages. */
  readonly metrics: readonly URL[];
  /** Whether they were asked for, so that one without a response is a problem. */
  readonly isMetricsWanted: boolean;
}

/** What could be read of a part, and why the rest could not. */
export class Incomplete {
  constructor(
    readonly content: unknown,
    readonly problem: string,
  ) {}
}

/** A file of the bundle. */
export interface Part {
  readonly path: string;
  /** For the manifest. */
  readonly what: string;
  /** @throws Error with why it cannot be read, which the file then says */
  readonly read: (sources: Sources) => Promise<unknown>;
}

const REQUEST_MS_MAX = 5_000;
const PAGE_CHARACTERS_MAX = 2_000_000;
const LOG_LINES_MAX = 2_000;
const LOG_BYTES_MAX = 2_000_000;
const QUEUES_MAX = 200;

export const PARTS: readonly Part[] = [
  { path: 'version.json', what: 'versions of the service, Node and the system', read: () => readVersion() },
  {
    path: 'settings.json',
    what: 'which settings are set; values of harmless ones only',
    read: ({ context }) => Promise.resolve(readSettings(context)),
  },
  { path: 'doctor.json', what: 'findings of "doctor", without its login', read: readFindings },
  { path: 'database.json', what: 'the server and its settings', read: readServer },
  { path: 'migrations.json', what: 'applied and missing migrations', read: readMigrations },
  { path: 'tables.json', what: 'sizes and estimated rows of tables', read: readTables },
  { path: 'queue.json', what: 'documents that wait, by state and age; calls in doubt', read: readQueues },
  { path: 'budget.json', what: 'call budgets, breaker and outages', read: readBudgets },
  { path: 'loops.json', what: 'periodic tasks and recoveries after a restore', read: readLoops },
  {
    path: 'activity.json',
    what: 'connections, locks, long transactions; statements without values',
    read: readActivity,
  },
  { path: 'metrics.txt', what: 'metrics pages, and readiness of dispatchers', read: readMetricsPages },
  { path: 'log.jsonl', what: 'last lines of the log; what is not known to be harmless is left out', read: readLog },
];

async function readServer({ database }: Sources): Promise<unknown> {
  const [server] = await (await database()).query<unknown[]>(SERVER);
  return server;
}

async function readTables({ database }: Sources): Promise<unknown> {
  return (await database()).query<unknown[]>(TABLES);
}

async function readVersion(): Promise<object> {
  const folder = findServiceFolder();
  const { version } = parseJsonText(await readFile(path.join(folder, 'package.json'), 'utf8')) as { version: string };
  return {
    service: version,
    commit: await readCommit(folder),
    // Of what runs: it is the same for the same build, also where there is no commit to name.
    programSha256: await hashProgram(),
    node: process.version,
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    cpus: os.availableParallelism(),
    memoryBytes: os.totalmem(),
    freeMemoryBytes: os.freemem(),
    load: os.loadavg(),
    now: new Date(),
  };
}

function findServiceFolder(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  return folder;
}

/** Null outside a clone, as in an image. */
async function readCommit(folder: string): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('git', ['-C', folder, 'rev-parse', '--verify', 'HEAD']);
    return existsSync(path.join(folder, '.git')) ? stdout.trim() : null;
  } catch {
    return null;
  }
}

async function hashProgram(): Promise<string> {
  const folder = fileURLToPath(new URL('../../', import.meta.url));
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.(?:js|ts|sql)$/.test(file)).sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(await readFile(path.join(folder, file)));
  return hash.digest('hex');
}

function readSettings(context: CommandContext): unknown {
  const shown = describeSettings(context.environment);
  const { wrong } = checkSettings(context);
  return wrong.size === 0 ? shown : new Incomplete(shown, `wrong: ${[...wrong].join(', ')}`);
}

async function readFindings({ context }: Sources): Promise<object> {
  const findings = await examine(context, null);
  return findings.map(({ check, result, found, fix }) => ({
    check,
    result,
    found: QUOTING_CHECKS.includes(check) ? redactText(stripQuoted(found)) : found,
    fix: fix !== null && QUOTING_FIXES.includes(check) ? redactText(fix) : fix,
  }));
}

// What is wrong with a setting is said with its value; and who mistakes the parts of an address may have a password where
// its user, host or database should be.
const QUOTING_CHECKS = ['settings', 'connections', 'hosts'];
const QUOTING_FIXES = ['hosts'];

function stripQuoted(text: string): string {
  return text.replace(/"[^]*"/, LEFT_OUT);
}

async function readMigrations({ database }: Sources): Promise<object> {
  const { manager, migrations } = await database();
  const applied = (await manager.query<{ name: string }[]>(MIGRATIONS)).map(({ name }) => name);
  const known = migrations.map(({ name, constructor }) => name ?? constructor.name);
  return {
    applied,
    missing: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name) && name !== MovableClock9000000000000.name),
  };
}

async function readQueues({ database }: Sources): Promise<object> {
  const { tenantQueues, doubts, deadLetters } = await readQueue((await database()).manager);
  const secondsSince = (at: Date | null): number | null => (at === null ? null : (Date.now() - at.getTime()) / 1_000);
  // Names and numbers are left out by naming what is not.
  const queues = tenantQueues.map((queue) => ({
    tenantId: queue.tenantId,
    environment: queue.environment,
    operation: queue.operation,
    waiting: queue.waiting,
    held: queue.held,
    processing: queue.processing,
    inDoubt: queue.inDoubt,
    atAuthority: queue.atAuthority,
    late: queue.late,
    oldestSeconds: secondsSince(queue.oldestAt),
    heldBy: queue.heldBy,
    heldSince: queue.heldSince,
    blockedReason: queue.blockedReason,
    blockedUntil: queue.blockedUntil,
  }));
  const states = ['waiting', 'held', 'processing', 'inDoubt', 'atAuthority', 'late'] as const;
  return {
    documents: Object.fromEntries(
      states.map((state) => {
        const holding = queues.filter((queue) => queue[state] > 0);
        const ages = holding.map(({ oldestSeconds }) => oldestSeconds ?? 0);
        const documents = holding.reduce((sum, queue) => sum + queue[state], 0);
        return [state, { documents, queues: holding.length, oldestSeconds: Math.max(0, ...ages) }];
      }),
    ),
    tenantQueues: queues.length,
    oldestTenantQueues: queues.slice(0, QUEUES_MAX),
    callsInDoubt: doubts.map(({ submissionId, tenantId, environment, sentAt, sends, referenceIds, nextLookAt }) => {
      const documents = referenceIds.length;
      return { submissionId, tenantId, environment, sentAt, sends, documents, nextLookAt };
    }),
    deadLetters: deadLetters.length,
  };
}

async function readBudgets({ database }: Sources): Promise<object> {
  const { callBudgets, outages } = await readQueue((await database()).manager);
  const clients = [...new Set(callBudgets.map(({ clientId }) => clientId))];
  return {
    outages,
    budgets: callBudgets.map(({ clientId, ...budget }) => ({ client: clients.indexOf(clientId) + 1, ...budget })),
  };
}

async function readLoops({ database }: Sources): Promise<object> {
  const { manager } = await database();
  return {
    tasks: await manager.query<unknown[]>(TASKS),
    recoveries: await manager.query<unknown[]>(RECOVERIES),
  };
}

interface ActivityRow {
  readonly application: string | null;
  readonly statement?: string | null;
}

async function readActivity({ database }: Sources): Promise<object> {
  const { manager } = await database();
  // Anyone may call a connection what they like.
  const named = <Row extends ActivityRow>(row: Row): Row => ({
    ...row,
    application: /^[\w.-]{0,40}$/.test(row.application ?? '') ? row.application : LEFT_OUT,
  });
  const transactions = await manager.query<unknown[]>(LONG_TRANSACTIONS);
  const connections = await manager.query<unknown[]>(CONNECTIONS);
  return {
    connections: (connections as ActivityRow[]).map(named),
    longTransactions: (transactions as ActivityRow[]).map((row) => ({
      ...named(row),
      statement: stripValues(row.statement ?? ''),
    })),
    waitingLocks: await manager.query<unknown[]>(WAITING_LOCKS),
  };
}

async function readMetricsPages({ metrics, isMetricsWanted }: Sources): Promise<string | Incomplete> {
  const pages = await Promise.all(metrics.map(readMetricsOf));
  const text = pages.map((page) => page.text).join('\n');
  const problems = pages.flatMap(({ problem }, index) =>
    problem === null ? [] : [`${metrics[index].host}: ${problem}`],
  );
  return isMetricsWanted && problems.length > 0 ? new Incomplete(text, problems.join('; ')) : text;
}

async function readMetricsOf(address: URL): Promise<FetchedPage> {
  const page = await fetchPage(new URL('/metrics', address));
  const ready = await fetchPage(new URL('/ready', address));
  const [, readiness] = /^\{"(?:status|code)":"([a-z_]{1,40})"/.exec(ready.text) ?? [];
  const head = `# ${address.host}${readiness === undefined ? '' : `, /ready: ${readiness}`}\n`;
  if (page.problem !== null) return { text: `${head}# no response: ${page.problem}\n`, problem: page.problem };
  // Another program may answer there, with whatever it knows.
  if (page.text.startsWith('#')) return { text: head + keepOwnMetrics(page.text), problem: null };
  const problem = 'a page that is not metrics';
  return { text: `${head}# ${problem}\n`, problem };
}

interface FetchedPage {
  readonly text: string;
  /** Why there is none, or not the wanted one. */
  readonly problem: string | null;
}

async function fetchPage(url: URL): Promise<FetchedPage> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(REQUEST_MS_MAX) });
    return { text: (await response.text()).slice(0, PAGE_CHARACTERS_MAX), problem: null };
  } catch (error) {
    return { text: '', problem: describeProblem(error) };
  }
}

async function readLog({ logFile }: Sources): Promise<string> {
  if (logFile === null) {
    return note(
      'No log was asked for: give it with --log FILE, such as one of "journalctl --output cat", or service.log in DATA_DIR of npm start',
    );
  }
  const lines = (await readEnd(logFile)).split('\n').filter((line) => line !== '');
  const shown = lines.slice(-LOG_LINES_MAX).map(redactLogLine);
  const known = shown.filter((line) => line !== null);
  const foreign = shown.length - known.length;
  return [...known, ...(foreign > 0 ? [note(`${foreign} lines are not of the service's log`)] : [])].join('\n') + '\n';
}

function note(text: string): string {
  return JSON.stringify({ note: text });
}

/** The end of a file, from the beginning of a line. */
async function readEnd(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, LOG_BYTES_MAX);
    const { buffer } = await handle.read({ buffer: Buffer.alloc(length), position: size - length });
    const text = buffer.toString('utf8');
    return length < size ? text.slice(text.indexOf('\n') + 1) : text;
  } finally {
    await handle.close();
  }
}

/** Why something could not be read, without what was read. */
export function describeProblem(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeProblem).join('; ');
  const { message, cause } = error instanceof Error ? error : { message: String(error), cause: undefined };
  return redactText(cause instanceof Error && cause.message !== '' ? cause.message : message);
}
