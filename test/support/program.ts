import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from './until.js';

const STOP_MS_MAX = 15_000;
const PRINTED_MS_MAX = 120_000;
/** The end of what a process wrote; what came before is dropped. */
const OUTPUT_CHARACTERS_MAX = 1_000_000;

/** The checkout, whether this file runs from its build or from its source. */
export const REPOSITORY = findRepository(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..'));
/** What npm's commands start, which builds first what is stale. */
export const RUN = path.join(REPOSITORY, 'scripts/run.mjs');

function findRepository(root: string): string {
  return path.basename(root) === 'dist' ? path.dirname(root) : root;
}

/** A process that a test may end at any moment, and what it has written so far. */
export interface Program {
  readonly processId: number;
  /** For messages, if its `stdio` has a channel. */
  readonly child: ChildProcess;
  /** The end of standard output, of standard error, and of both as they came. */
  readonly out: string;
  readonly error: string;
  readonly output: string;
  /** Resolves when it has ended, by itself or by a signal, and everything that it wrote has been read. */
  readonly ended: Promise<Ended>;
  isRunning(): boolean;
  /** Resolves as soon as it has written this text. @throws Error when it ends, or `withinMs` pass, before */
  printed(text: string, withinMs?: number): Promise<void>;
  /** Sends a signal; harmless when it has ended. */
  kill(signal: NodeJS.Signals): void;
  /** Ends it gracefully, or by SIGKILL when that takes too long, and waits for its end. */
  stop(): Promise<void>;
}

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

// However this process ends, but by SIGKILL, none of its own goes on without it.
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

interface ProgramOptions extends SpawnOptions {
  /** Words before the command, such as those of a shell. */
  readonly prefix?: readonly string[];
  /** Where its output goes; without it, the output is kept in memory. */
  readonly logFile?: string;
}

/** Starts a program of Node. `command` is words for Node, the file first. */
export function startProgram(
  command: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  { prefix = [], ...options }: ProgramOptions = {},
): Program {
  return startCommand([...prefix, process.execPath, ...command], environment, options);
}

/**
 * Starts a program in its own process group, so that Ctrl-C reaches only this process. Of the environment of this process
 * it gets only PATH and the folder for temporary files.
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
      // What it wrote last is read only after it has ended.
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

/** Builds what is stale, once and outside the time of the tests: the processes run what an operator runs. */
export async function buildPrograms(): Promise<void> {
  // The program itself cannot succeed: there is no such database.
  const migrate = startProgram([RUN, 'standalone/migrate'], { DATABASE_OWNER_URL: 'postgres://127.0.0.1:1/x' });
  await migrate.ended;
  if (migrate.error.includes('The build failed')) throw new Error(migrate.error);
}
