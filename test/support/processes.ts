import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { migrate } from '../../src/processes/migrate.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../standalone/embedded-postgres.js';
import { choosePort } from '../../standalone/ports.js';

/** What the processes are at the authority. */
export const CLIENT_ID = 'test-client';

/** The programs of the build, as an operator runs them. */
const PROGRAMS = {
  api: 'src/processes/api.js',
  dispatcher: 'src/processes/dispatcher.js',
  simulator: 'simulator/main.js',
} as const;

export type ProgramName = keyof typeof PROGRAMS;

const START_MS_MAX = 60_000;
const STOP_MS_MAX = 15_000;
const POLL_MS = 20;
/** The end of what a process wrote; what came before is dropped. */
const OUTPUT_CHARACTERS_MAX = 1_000_000;

/** A process of the build that a test may kill at any moment. */
export interface RunningProgram {
  readonly name: ProgramName;
  readonly processId: number;
  /** Null once it has ended by itself or by a signal: then how. */
  readonly ended: Promise<Ended>;
  isRunning(): boolean;
  /** What it wrote to standard output and standard error so far. */
  output(): string;
  /** Resolves as soon as the process has written this text. @throws Error when it ends, or `withinMs` pass, before */
  written(text: string, withinMs: number): Promise<void>;
  /** Sends a signal; harmless when it has ended. */
  kill(signal: NodeJS.Signals): void;
  /** Ends it gracefully, or by SIGKILL when that takes too long, and waits for its end. */
  stop(): Promise<void>;
}

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface StartedApi extends RunningProgram {
  /** Base address: `http://HOST:PORT/api`. */
  readonly url: string;
}

export interface StartedSimulator extends RunningProgram {
  readonly url: string;
}

type Settings = Readonly<Record<string, string>>;

const dist = findDist(fileURLToPath(import.meta.url));

/** The build's folder, whether this file runs from it or from its source. */
function findDist(file: string): string {
  const root = path.resolve(path.dirname(file), '../..');
  return path.basename(root) === 'dist' ? root : path.join(root, 'dist');
}

/** The API; ready when it says so itself. Every setting that it needs is in `settings`, but its ports. */
export async function startApiProcess(settings: Settings): Promise<StartedApi> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const program = run('api', { settings: { ...settings, PORT: String(port), METRICS_PORT: String(metricsPort) } });
  const url = `http://127.0.0.1:${port}/api`;
  await answering(program, `${url}/health/ready`);
  return { ...program, url };
}

/** The dispatcher. With `isReady` false it is not waited for: one that is to die early never becomes ready. */
export async function startDispatcherProcess(
  settings: Settings,
  { isReady = true }: { isReady?: boolean } = {},
): Promise<RunningProgram> {
  const port = await freePort();
  const program = run('dispatcher', { settings: { ...settings, METRICS_PORT: String(port) } });
  if (isReady) await answering(program, `http://127.0.0.1:${port}/metrics`);
  return program;
}

/** The authority's stand-in as a separate process; `options` as on its command line, such as `--duplicate-rules`. */
export async function startSimulatorProcess(options: Settings = {}): Promise<StartedSimulator> {
  const port = await freePort();
  const parameters = Object.entries(options).flat();
  const program = run('simulator', { parameters: ['--port', String(port), ...parameters] });
  const url = `http://127.0.0.1:${port}`;
  await answering(program, `${url}/_control/settings`);
  return { ...program, url };
}

function run(
  name: ProgramName,
  { settings = {}, parameters = [] }: { settings?: Settings; parameters?: readonly string[] },
): RunningProgram {
  const child = spawn(process.execPath, [path.join(dist, PROGRAMS[name]), ...parameters], {
    // Of the environment of the tests' user nothing reaches the product but the folder that the run knows it by.
    env: { PATH: process.env.PATH, TMPDIR: tmpdir(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return watchProgram(name, child);
}

// However this process ends, but by SIGKILL, no process that it started goes on without it.
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

function watchProgram(name: ProgramName, child: ChildProcess): RunningProgram {
  children.add(child);
  child.once('close', () => children.delete(child));
  let text = '';
  const keep = (chunk: Buffer): void => {
    text = (text + chunk.toString()).slice(-OUTPUT_CHARACTERS_MAX);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  // Closed, not only ended: everything that it wrote has been read by then.
  const ended = once(child, 'close').then(([exitCode, signal]: unknown[]) => ({
    exitCode: exitCode as number | null,
    signal: signal as NodeJS.Signals | null,
  }));
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const program: RunningProgram = {
    name,
    processId: child.pid ?? 0,
    ended,
    isRunning,
    output: () => text,
    written: async (wanted, withinMs) => {
      const giveUpAt = performance.now() + withinMs;
      while (!text.includes(wanted)) {
        if (!isRunning()) await ended;
        if (text.includes(wanted)) return;
        const isLate = performance.now() > giveUpAt;
        if (isLate || !isRunning()) throw new Error(`The ${name} did not write "${wanted}":\n${text.slice(-2_000)}`);
        await wait(POLL_MS);
      }
    },
    kill: (signal) => child.kill(signal),
    stop: async () => {
      if (!isRunning()) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
      await ended;
      clearTimeout(timer);
    },
  };
  return program;
}

async function answering(program: RunningProgram, url: string): Promise<void> {
  const giveUpAt = performance.now() + START_MS_MAX;
  for (;;) {
    const isAnswering = await fetch(url).then(
      async (response) => (await response.text(), response.ok),
      () => false,
    );
    if (isAnswering) return;
    if (!program.isRunning() || performance.now() > giveUpAt) {
      program.kill('SIGKILL');
      throw new Error(`The ${program.name} does not start:\n${program.output().slice(-4_000)}`);
    }
    await wait(POLL_MS);
  }
}

// Below the range that systems take the ports of outgoing connections from, where a chosen port may be gone again
// before the program that it was chosen for has opened it.
const PORT_MIN = 12_000;
const PORTS = 16_000;
let lastPort = Math.floor(Math.random() * PORTS);

/** A port that a program which dies can have again. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS; tries += 1) {
    lastPort += 1;
    const { port, isOther } = await choosePort(PORT_MIN + (lastPort % PORTS));
    if (!isOther) return port;
  }
  throw new Error(`No port from ${PORT_MIN} to ${PORT_MIN + PORTS - 1} is free`);
}

/** Addresses of one database, by role. */
export interface DatabaseAddresses {
  /** Owner of the tables: sees everything; for arranging and for looking. */
  readonly ownerUrl: string;
  readonly appUrl: string;
  readonly dispatcherUrl: string;
}

export interface DatabaseServer {
  readonly port: number;
  readonly password: string;
  /** A migrated, empty database. */
  createDatabase(name: string): Promise<DatabaseAddresses>;
  /** Ends it immediately, as a power cut does, and waits until it has gone; `start` recovers it on the same port. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Stops it, and deletes its data. */
  stop(): Promise<void>;
}

const ROLES = ['einvoice_owner', 'einvoice_app', 'einvoice_dispatcher', 'einvoice_operator'];
const PASSWORD = 'test';

/** A separate PostgreSQL. @param settings such as `fsync=off` for data that no crash of the server is to survive */
export async function startDatabaseServer(settings: readonly string[] = []): Promise<DatabaseServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'einvoice-server-'));
  const options = { directory: path.join(folder, 'pg'), password: PASSWORD, settings };
  const port = await freePort();
  let server: EmbeddedPostgres = await startEmbeddedPostgres({ ...options, port });
  await asSuperuser(
    server,
    ROLES.map((role) => `CREATE ROLE ${role} LOGIN NOBYPASSRLS PASSWORD '${PASSWORD}'`),
  );
  return {
    port: server.port,
    password: PASSWORD,
    createDatabase: async (name) => {
      await asSuperuser(server, [`CREATE DATABASE ${name} OWNER einvoice_owner`]);
      const buildUrl = (role: string): string => `postgres://${role}:${PASSWORD}@127.0.0.1:${server.port}/${name}`;
      await migrate(buildUrl('einvoice_owner'));
      return {
        ownerUrl: buildUrl('einvoice_owner'),
        appUrl: buildUrl('einvoice_app'),
        dispatcherUrl: buildUrl('einvoice_dispatcher'),
      };
    },
    crash: async () => {
      server.kill();
      await goneFrom(server.processId);
    },
    start: async () => {
      server = await startEmbeddedPostgres({ ...options, port: server.port });
    },
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function asSuperuser(server: EmbeddedPostgres, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: server.superuserUrl('postgres') });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

async function goneFrom(processId: number): Promise<void> {
  const giveUpAt = performance.now() + STOP_MS_MAX;
  while (isAlive(processId)) {
    if (performance.now() > giveUpAt) throw new Error(`Process ${processId} does not end`);
    await wait(POLL_MS);
  }
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

/** The settings that both processes need, with the dispatcher's times in seconds and no call limits. */
export function buildSettings(database: DatabaseAddresses, simulatorUrl: string): Record<string, string> {
  return {
    NODE_ENV: 'test',
    DATABASE_URL: database.appUrl,
    DATABASE_DISPATCHER_URL: database.dispatcherUrl,
    AUTHORITY_SANDBOX_API_URL: simulatorUrl,
    AUTHORITY_SANDBOX_CLIENT_ID: CLIENT_ID,
    AUTHORITY_SANDBOX_CLIENT_SECRET: 'test-secret',
    AUTHORITY_SANDBOX_RATE_FACTOR: '0',
    SECRETS_KEY: 'a-key-for-tests-of-at-least-32-characters',
    AUTHORITY_DEADLINE_SECONDS: '2',
    DISPATCH_LEASE_SECONDS: '4',
    RECONCILE_GRACE_SECONDS: '1',
    RECONCILE_SECOND_LOOK_SECONDS: '1',
    LOG_LEVEL: 'info',
  };
}
