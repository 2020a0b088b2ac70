import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DEPLOY } from './compose-file.js';

/** What the steps came to. */
export interface PlayedSteps {
  readonly exitCode: number;
  /** Each call of a program of another's, as `folder: words`. */
  readonly calls: readonly string[];
}

/** The block of deploy/README.md that has this line. */
export async function readSteps(line: RegExp): Promise<string> {
  const readme = await readFile(path.join(DEPLOY, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block);
  const found = blocks.find((block) => line.test(block));
  if (found === undefined) throw new Error(`deploy/README.md has no block with ${line.source}`);
  return found;
}

/**
 * Plays steps in a shell where docker, which is not here, and waitfor are recorded, and nothing else is.
 * @param folder where they are typed
 * @param failing the call that fails, by some of its words; without it none does
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
