import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from './until.js';

const STOP_MS_MAX = 15_000;
const PRINTED_MS_MAX = 120_000;
/** Only the end of the output is kept. */
const OUTPUT_CHARACTERS_MAX = 1_000_000;

/** Root of the checkout, whether this file runs as source or from `dist`. */
export const REPOSITORY = findRepository(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..'));
/** Script behind the npm commands. It rebuilds a stale build first. */
export const RUN = path.join(REPOSITORY, 'scripts/run.mjs');

function findRepository(root: string): string {
  return path.basename(root) === 'dist' ? path.dirname(root) : root;
}

export interface Program {
  readonly processId: number;
  /** Handle for IPC messages, if `stdio` has an IPC channel. */
  readonly child: ChildProcess;
  /** Standard output, standard error, and both interleaved. */
  readonly out: string;
  readonly error: string;
  readonly output: string;
  /** Resolves after the process has ended and all output has been read. */
  readonly ended: Promise<Ended>;
  isRunning(): boolean;
  /** Waits until the output contains the text. @throws Error if the process ends or `withinMs` elapse first */
  printed(text: string, withinMs?: number): Promise<void>;
  /** Sends a signal. Does nothing if the process has ended. */
  kill(signal: NodeJS.Signals): void;
  /** Sends SIGTERM, and SIGKILL after a timeout. Waits for the end of the process. */
  stop(): Promise<void>;
}

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

// Child processes must not outlive this process, unless it is killed by SIGKILL.
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

interface ProgramOptions extends SpawnOptions {
  /** Arguments before the command, such as a shell. */
  readonly prefix?: readonly string[];
  /** File for the output, which is otherwise kept in memory. */
  readonly logFile?: string;
}

/** Starts Node.js with these arguments. */
export function startProgram(
  command: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  { prefix = [], ...options }: ProgramOptions = {},
): Program {
  return startCommand([...prefix, process.execPath, ...command], environment, options);
}

/**
 * Starts a program in its own process group, so that Ctrl-C reaches only this process. The program inherits only PATH
 * and TMPDIR from the environment of this process.
 */
export function startCommand(
  command: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  { prefix = [], logFile, ...options }: ProgramOptions = {},
): Program {
  const [file, ...words] = [...prefix, ...command];
  const output = logFile === undefined ? 'pipe' : openSync(logFile, 'a');
  const child = spawn(file, words, {
    cwd: tmpdir(),
    detached: true,
    stdio: ['ignore', output, output],
    ...options,
    env: { PATH: process.env.PATH, TMPDIR: tmpdir(), ...environment },
  });
  if (typeof output === 'number') closeSync(output);
  children.add(child);
  child.once('close', () => children.delete(child));
  return new RunningProgram(child, command.join(' '), logFile);
}

class RunningProgram implements Program {
  out = '';
  error = '';
  readonly ended: Promise<Ended>;
  private kept = '';

  constructor(
    readonly child: ChildProcess,
    private readonly name: string,
    private readonly logFile: string | undefined,
  ) {
    child.stdout?.on('data', (chunk: Buffer) => (this.out = this.keep(this.out, chunk)));
    child.stderr?.on('data', (chunk: Buffer) => (this.error = this.keep(this.error, chunk)));
    this.ended = once(child, 'close').then(([exitCode, signal]: unknown[]) => ({
      exitCode: exitCode as number | null,
      signal: signal as NodeJS.Signals | null,
    }));
  }

  get output(): string {
    return this.logFile === undefined ? this.kept : readFileSync(this.logFile, 'utf8');
  }

  get processId(): number {
    return this.child.pid ?? 0;
  }

  isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async printed(text: string, withinMs = PRINTED_MS_MAX): Promise<void> {
    const isPrinted = async (): Promise<boolean> => {
      // The last output may arrive after the process has ended.
      if (!this.isRunning()) await this.ended;
      if (this.output.includes(text)) return true;
      if (!this.isRunning()) throw new Error(`${this.name} ended before "${text}":\n${this.output.slice(-4_000)}`);
      return false;
    };
    await until(`${this.name} prints "${text}"`, isPrinted, withinMs);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async stop(): Promise<void> {
    if (!this.isRunning()) return;
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS_MAX);
    await this.ended;
    clearTimeout(timer);
  }

  private keep(text: string, chunk: Buffer): string {
    this.kept = (this.kept + chunk.toString()).slice(-OUTPUT_CHARACTERS_MAX);
    return (text + chunk.toString()).slice(-OUTPUT_CHARACTERS_MAX);
  }
}

/** Waits until a URL responds with success. @throws Error with the program's output if it ends or takes too long */
export async function untilReady(program: Program, url: string): Promise<void> {
  const isReady = async (): Promise<boolean> => {
    if (!program.isRunning()) throw new Error('It has ended');
    return fetch(url).then(
      async (response) => (await response.text(), response.ok),
      () => false,
    );
  };
  await until(`${url} answers`, isReady).catch((error: unknown) => {
    program.kill('SIGKILL');
    throw new Error(`A program does not start:\n${program.output.slice(-4_000)}`, { cause: error });
  });
}

/** Rebuilds a stale build before the tests start, so that their timeouts do not include the build. */
export async function buildPrograms(): Promise<void> {
  // The migration itself fails, because this database does not exist.
  const migrate = startProgram([RUN, 'standalone/migrate'], { DATABASE_OWNER_URL: 'postgres://127.0.0.1:1/x' });
  await migrate.ended;
  if (migrate.error.includes('The build failed')) throw new Error(migrate.error);
}
