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
  /** Folder for temporary files of the run. */
  readonly folder: string;
  /** Starts the run with `npm test` instead of a single process that can be killed. */
  readonly isByNpm?: boolean;
}

/** Starts a separate test run on fixture files, to check how a run ends. */
export function startRun({ config, fixtures, folder, isByNpm = false }: RunOptions): Program {
  const words = ['--config', `test/support/fixtures/${config}.config.ts`, ...fixtures];
  const command = isByNpm ? ['npm', 'test', '--', ...words] : [process.execPath, VITEST, 'run', ...words];
  const environment = { HOME: folder, TMPDIR: folder, NO_COLOR: '1' };
  // Orphaned processes of a killed run would keep a pipe open, so the output goes to a file.
  const logFile = path.join(mkdtempSync(path.join(tmpdir(), 'einvoice-log-')), 'log');
  const program = startCommand(command, environment, { cwd: REPOSITORY, logFile });
  onTestFinished(async () => {
    program.kill('SIGTERM');
    await program.ended;
  });
  return program;
}
