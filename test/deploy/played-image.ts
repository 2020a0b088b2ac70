import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '../support/program.js';

const run = promisify(execFile);
const RUN_MS_MAX = 1_500_000;

interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** Stage of the Dockerfile, whose root is a folder. */
interface Stage {
  readonly root: string;
  workingDirectory: string;
  readonly environment: Record<string, string>;
  user: string;
  command: readonly string[];
  healthCheck: readonly string[];
}

/** Result of the last stage of the Dockerfile. */
export interface PlayedImage {
  /** Local path of WORKDIR. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

/** Parses the instructions of a Dockerfile without comments and line continuations. */
export function readInstructions(text: string): Instruction[] {
  return text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line.trim()) ?? [];
      if (name === '') throw new Error(`No instruction: ${line}`);
      return { name, text: rest };
    });
}

/**
 * Executes a Dockerfile without a container engine. Each stage is a folder in `parent`, the build context consists of
 * the files that git tracks, and RUN executes commands in WORKDIR with the local Node.js and npm.
 * @throws Error for an unsupported instruction or option, or if a command fails
 */
export async function playDockerfile(text: string, parent: string): Promise<PlayedImage> {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  const play: Record<string, (rest: string) => Promise<void> | void> = {
    ARG: () => undefined,
    FROM: async (rest) => {
      const name = / AS (\S+)$/.exec(rest)?.[1] ?? 'last';
      stage = await createStage(path.join(parent, name));
      stages.set(name, stage);
    },
    WORKDIR: async (rest) => {
      current().workingDirectory = rest;
      await mkdir(inside(current(), rest), { recursive: true });
    },
    COPY: (rest) => copy(rest),
    RUN: async (rest) => {
      const { PATH, HOME, TMPDIR } = process.env;
      const env = { PATH, HOME, TMPDIR, ...current().environment };
      const options = { cwd: inside(current(), current().workingDirectory), env, timeout: RUN_MS_MAX };
      await run('sh', ['-c', rest], { ...options, maxBuffer: 10_000_000 });
    },
    ENV: (rest) => {
      for (const [, name, value] of rest.matchAll(/(\S+)=(\S+)/g)) current().environment[name] = value;
    },
    USER: (rest) => void (current().user = rest),
    EXPOSE: () => undefined,
    HEALTHCHECK: (rest) => void (current().healthCheck = readList(rest.slice(rest.indexOf(' CMD ') + 5))),
    CMD: (rest) => void (current().command = readList(rest)),
  };
  function current(): Stage {
    if (stage === undefined) throw new Error('The Dockerfile begins without FROM');
    return stage;
  }
  async function copy(rest: string): Promise<void> {
    const [, from, names = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(rest) ?? [];
    const words = names.split(' ');
    const to = path.resolve(current().workingDirectory, words.pop() ?? '');
    const source = from === undefined ? null : stages.get(from);
    if (source === undefined || names.includes('--')) throw new Error(`COPY ${rest} is not understood`);
    for (const name of words) {
      if (source === null) await copyContext(name, inside(current(), to));
      else await cp(inside(source, name), inside(current(), to), { recursive: true, verbatimSymlinks: true });
    }
  }
  for (const { name, text: rest } of readInstructions(text)) {
    const step = play[name];
    if (step === undefined) throw new Error(`${name} is not understood`);
    await step(rest);
  }
  const { environment, user, command, healthCheck, workingDirectory } = current();
  return { folder: inside(current(), workingDirectory), environment, user, command, healthCheck };
}

async function createStage(root: string): Promise<Stage> {
  await mkdir(root);
  return { root, workingDirectory: '/', environment: {}, user: 'root', command: [], healthCheck: [] };
}

function inside({ root }: Stage, absolute: string): string {
  return path.join(root, absolute);
}

/** Copies tracked files and new files that git does not ignore. @param name `.` or a file */
async function copyContext(name: string, to: string): Promise<void> {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', name];
  const { stdout } = await run('git', words, { cwd: REPOSITORY, maxBuffer: 10_000_000 });
  const files = stdout.split('\0').filter((file) => file !== '');
  if (files.length === 0) throw new Error(`COPY ${name}: there is none`);
  for (const file of files) await cp(path.join(REPOSITORY, file), path.join(to, file), { verbatimSymlinks: true });
}

function readList(text: string): string[] {
  return JSON.parse(text) as string[];
}
