import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type Program, REPOSITORY, startCommand } from './program.js';

const VITEST = path.join(REPOSITORY, 'node_modules/vitest/vitest.mjs');

interface RunOptions {
  /** In test/support/fixtures. */
  readonly config: string;
  readonly fixtures: readonly string[];
  /** For its temporary files. */
  readonly folder: string;
  /** Started by `npm test`, and not as a separate process that can be killed. */
  readonly isByNpm?: boolean;
}

/** Starts a separate test run on fixture files, to check how a run ends. */
export function startRun({ config, fixtures, folder, isByNpm = false }: RunOptions): Program {
  const words = ['--config', `test/support/fixtures/${config}.config.ts`, ...fixtures];
  const command = isByNpm ? ['npm', 'test', '--', ...words] : [process.execPath, VITEST, 'run', ...words];
  const environment = { HOME: folder, TMPDIR: folder, NO_COLOR: '1' };
  // In a file, because the processes that a killed run leaves behind would keep a pipe open.
  const logFile = path.join(mkdtempSync(path.join(tmpdir(), 'einvoice-log-')), 'log');
  const program = startCommand(command, environment, { cwd: REPOSITORY, logFile });
  onTestFinished(async () => {
    program.kill('SIGTERM');
    await program.ended;
  });
  return program;
}
