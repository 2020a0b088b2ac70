import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { until } from './until.js';

const REPOSITORY = path.resolve(import.meta.dirname, '../..');
const VITEST = path.join(REPOSITORY, 'node_modules/vitest/vitest.mjs');
const RUN_MS_MAX = 120_000;

export interface TestRun {
  /** SIGINT as Ctrl-C sends it, to the whole group; others to the one process. */
  kill(signal: NodeJS.Signals): void;
  /** Resolves as soon as the run has printed this text. */
  printed(text: string): Promise<void>;
  /** What it printed, and its exit code; null when a signal ended it. */
  ended(): Promise<{ output: string; exitCode: number | null }>;
}

interface RunOptions {
  /** In test/support/fixtures. */
  readonly config: string;
  readonly fixtures: readonly string[];
  /** For its temporary files. */
  readonly folder: string;
  /** Started by `npm test`, and not as a separate process that can be killed. */
  readonly isByNpm?: boolean;
}

/** A separate run of the tests: of files that are no tests of the product, to see how a run ends. */
export function startRun({ config, fixtures, folder, isByNpm = false }: RunOptions): TestRun {
  const words = ['--config', `test/support/fixtures/${config}.config.ts`, ...fixtures];
  const command = isByNpm ? ['npm', 'test', '--', ...words] : [process.execPath, VITEST, 'run', ...words];
  const child = spawn(command[0], command.slice(1), {
    cwd: REPOSITORY,
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const processId = child.pid ?? 0;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  // Its end, and not the end of its output: what it leaves behind has its output too.
  const exit = once(child, 'exit') as Promise<[number | null]>;
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exit;
  });
  return {
    kill: (signal) => process.kill(signal === 'SIGINT' ? -processId : processId, signal),
    printed: (text) =>
      until(
        `"${text}" is printed`,
        () => {
          if (child.exitCode !== null) throw new Error(`The run ended before "${text}":\n${output}`);
          return output.includes(text);
        },
        RUN_MS_MAX,
      ),
    ended: async () => {
      const [exitCode] = await exit;
      return { output, exitCode };
    },
  };
}
