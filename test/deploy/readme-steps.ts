import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DEPLOY } from './compose-file.js';

/** Result of the steps. */
export interface PlayedSteps {
  readonly exitCode: number;
  /** Recorded calls as `FOLDER: WORDS`. */
  readonly calls: readonly string[];
}

/** Returns the code block of deploy/README.md with this line. */
export async function readSteps(line: RegExp): Promise<string> {
  const readme = await readFile(path.join(DEPLOY, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block);
  const found = blocks.find((block) => line.test(block));
  if (found === undefined) throw new Error(`deploy/README.md has no block with ${line.source}`);
  return found;
}

/**
 * Runs steps in a shell in which `docker` and `waitfor` only record their calls.
 * @param folder working directory
 * @param failing part of the call that fails, if any
 */
export async function playSteps(steps: string, folder: string, failing?: string): Promise<PlayedSteps> {
  const programs = await mkdtemp(path.join(tmpdir(), 'programs-'));
  const log = path.join(programs, 'calls');
  const record = (name: string): string =>
    [
      '#!/bin/sh',
      `call="${name} $*"`,
      `echo "$PWD: $call" >> ${log}`,
      `case "$call" in *"$FAILING"*) exit 1; esac`,
      '',
    ].join('\n');
  const files = { [path.join(programs, 'docker')]: 'docker', [path.join(folder, 'waitfor')]: 'waitfor' };
  await mkdir(folder, { recursive: true });
  for (const [file, name] of Object.entries(files)) {
    await writeFile(file, record(name));
    await chmod(file, 0o755);
  }
  await writeFile(path.join(folder, '.env'), 'IMAGE=einvoice:1\n');
  const env = { PATH: `${programs}:${process.env.PATH}`, FAILING: failing ?? 'no call has this' };
  const exitCode = await new Promise<number>((resolve) => {
    execFile('bash', ['-c', steps], { cwd: folder, env }, (error) => resolve(error === null ? 0 : Number(error.code)));
  });
  const calls = (await readFile(log, 'utf8')).trim().split('\n');
  return { exitCode, calls };
}
