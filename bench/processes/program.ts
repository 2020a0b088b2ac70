import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Closing } from '../../standalone/program.js';
import { buildFile } from '../builds/build-file.js';

const DIST = fileURLToPath(new URL('../../', import.meta.url));
const START_MS_MAX = 60_000;
const STOP_MS_MAX = 10_000;
const POLL_MS = 50;

// Without a limit V8 sizes its heap by the machine's memory, and keeps what a rush of large bodies made it take.
const HEAP_MEBIBYTES_MAX = 512;

export interface RunningProgram {
  readonly processId: number;
  stop(): Promise<void>;
}

export interface ProgramOptions {
  /** In the build: `src/processes/api.js`. */
  readonly program: string;
  /** The folder of the build, when it is not this one. */
  readonly dist?: string;
  readonly parameters?: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
  /** Where the log goes: an operator's goes to a file or a collector too. */
  readonly logFile: string;
  /** Responds with 200 as soon as the program works. */
  readonly readyUrl: string;
}

/** A program of the project as an operator runs it: compiled, in production mode, with a limited heap. */
export async function startProgram(closing: Closing, options: ProgramOptions): Promise<RunningProgram> {
  const { program, dist = DIST, parameters = [], settings = {}, logFile } = options;
  const log = await open(logFile, 'a');
  const runtime = `--max-old-space-size=${HEAP_MEBIBYTES_MAX}`;
  const child = spawn(process.execPath, [runtime, buildFile(dist, program), ...parameters], {
    detached: true,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...settings },
    cwd: path.dirname(logFile),
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close();
  const stop = (): Promise<void> => stopChild(child);
  await closing.add({ close: stop, kill: () => child.kill('SIGKILL') });
  await ready(child, options);
  return { processId: child.pid ?? 0, stop };
}

async function ready(child: ChildProcess, { program, readyUrl, logFile }: ProgramOptions): Promise<void> {
  const giveUpAt = Date.now() + START_MS_MAX;
  for (;;) {
    const isReady = await fetch(readyUrl).then(
      (response) => response.ok,
      () => false,
    );
    if (isReady) return;
    if (child.exitCode !== null || Date.now() > giveUpAt) {
      throw new Error(`${program} does not start:\n${await readFile(logFile, 'utf8')}`);
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
