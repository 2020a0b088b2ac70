import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { choosePort } from '../../standalone/ports.js';
import type { Closing } from '../../standalone/program.js';

const PROGRAM = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const START_MS_MAX = 60_000;
const STOP_MS_MAX = 10_000;
const POLL_MS = 50;
const MEBIBYTE_KIBIBYTES = 1_024;

// Without a limit V8 sizes its heap by the machine's memory, and keeps what a rush of large bodies made it take.
const HEAP_MEBIBYTES_MAX = 512;

export interface ApiProcess {
  /** Base address: `http://HOST:PORT/api`. */
  readonly url: string;
  /** The most memory that it held at any time; null where the system does not tell. */
  peakResidentMebibytes(): Promise<number | null>;
  stop(): Promise<void>;
}

export interface ApiOptions {
  readonly databaseUrl: string;
  readonly connections: number;
  /** Where the log goes: an operator's goes to a file or a collector too. */
  readonly logFile: string;
}

/** The API as an operator runs it: compiled, in production mode, with its default log level and a limited heap. */
export async function startApi(closing: Closing, options: ApiOptions): Promise<ApiProcess> {
  const { port } = await choosePort(0);
  const log = await open(options.logFile, 'a');
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MEBIBYTES_MAX}`, PROGRAM], {
    detached: true,
    env: settingsOf(options, port),
    cwd: path.dirname(options.logFile),
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close();
  const stop = (): Promise<void> => stopChild(child);
  await closing.add({ close: stop, kill: () => child.kill('SIGKILL') });
  const url = `http://127.0.0.1:${port}/api`;
  await ready(url, child, options.logFile);
  return { url, stop, peakResidentMebibytes: () => peakResidentMebibytes(child.pid ?? 0) };
}

function settingsOf({ databaseUrl, connections }: ApiOptions, port: number): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    PORT: String(port),
    METRICS_PORT: '0',
    DATABASE_URL: databaseUrl,
    // As many as the floor has.
    DATABASE_POOL_SIZE: String(connections),
    // Accepting and reading never call the authority.
    AUTHORITY_SANDBOX_API_URL: 'http://127.0.0.1:9',
    AUTHORITY_SANDBOX_CLIENT_ID: 'bench',
    AUTHORITY_SANDBOX_CLIENT_SECRET: 'bench',
    SECRETS_KEY: 'a-key-for-benchmarks-of-at-least-32-characters',
    // The limits of D15 are there to stop exactly what a benchmark does.
    RATE_LIMIT_REQUESTS_PER_MINUTE: '0',
    RATE_LIMIT_SUBMITS_PER_MINUTE: '0',
  };
}

async function ready(url: string, child: ChildProcess, logFile: string): Promise<void> {
  const giveUpAt = Date.now() + START_MS_MAX;
  for (;;) {
    const isReady = await fetch(`${url}/health/ready`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isReady) return;
    if (child.exitCode !== null || Date.now() > giveUpAt) {
      throw new Error(`The API does not start:\n${await readFile(logFile, 'utf8')}`);
    }
    await wait(POLL_MS);
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit', { signal: AbortSignal.timeout(STOP_MS_MAX) });
  child.kill('SIGTERM');
  await exit.catch(() => child.kill('SIGKILL'));
}

async function peakResidentMebibytes(processId: number): Promise<number | null> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8').catch(() => '');
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  return kibibytes === undefined ? null : Number(kibibytes) / MEBIBYTE_KIBIBYTES;
}
