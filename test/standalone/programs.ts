import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '../support/until.js';

const PRINTED_MS_MAX = 120_000;

export const REPOSITORY = path.resolve(import.meta.dirname, '../..');
export const RUN = path.join(REPOSITORY, 'scripts/run.mjs');

/** A program that people start, and what it has said so far. */
export interface Program {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  out: string;
  error: string;
}

/** @param command file and words for Node */
export function spawnProgram(
  command: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  { detached = false } = {},
): Program {
  return followed(
    spawn(process.execPath, command, {
      cwd: tmpdir(),
      env: { PATH: process.env.PATH, TMPDIR: tmpdir(), PORT: '0', METRICS_PORT: '0', ...environment },
      detached,
    }),
  );
}

export function followed(child: ChildProcessWithoutNullStreams): Program {
  const started: Program = {
    child,
    out: '',
    error: '',
    ended: new Promise((resolve) => child.once('close', (code) => resolve(code))),
  };
  child.stdout.on('data', (chunk: Buffer) => (started.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (started.error += chunk.toString()));
  return started;
}

/** Waits until the program has printed the text. @throws Error when it ends before */
export async function printed(started: Program, text: string): Promise<void> {
  const isPrinted = (): boolean => {
    if (started.out.includes(text)) return true;
    if (started.child.exitCode !== null) throw new Error(`Ended early:\n${started.out}${started.error}`);
    return false;
  };
  await until(`"${text}" is printed`, isPrinted, PRINTED_MS_MAX);
}
