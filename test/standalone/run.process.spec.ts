import { chmod, cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serverIdentity } from '../../standalone/postgres-programs.js';
import { type Program, REPOSITORY, RUN, startProgram } from '../support/program.js';
import { until } from '../support/until.js';

const TIMEOUT_MS = 120_000;
// Program that exits immediately without a database.
const SHORT = ['simulator/main', '--port=-1'];

let folder = tmpdir();
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'einvoice-checkout-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('scripts/run.mjs', { timeout: TIMEOUT_MS }, () => {
  it('rejects a program that does not exist', async () => {
    const unknown = startProgram([RUN, 'standalone/paint']);
    expect((await unknown.ended).exitCode).toBe(1);
    expect(unknown.error).toContain('with a program such as standalone/start');
  });

  it('prints the required version if Node is too old', async () => {
    const older = `Object.defineProperty(process, 'version', { value: 'v18.20.8' })`;
    const started = startProgram([RUN, 'standalone/start'], {
      NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(older)}"`,
    });
    expect((await started.ended).exitCode).toBe(1);
    expect(started.error).toBe('Node v18.20.8 is too old: Node 20.19 or newer is needed\n');
  });

  it('rebuilds after an interrupted build', async () => {
    const checkout = await copyCheckout();
    const run = path.join(checkout, 'scripts/run.mjs');
    const stopped = startProgram([run, ...SHORT]);
    await until('it builds', () => stopped.error.includes('Building'));
    process.kill(-stopped.processId, 'SIGKILL');
    await stopped.ended;
    const next = startProgram([run, ...SHORT]);
    expect((await next.ended).exitCode).toBe(1);
    expect(next.error).toMatch(/^Building the programs …\n--port must be/);
  });

  it('builds and runs three programs that start simultaneously', async () => {
    const run = path.join(await copyCheckout(), 'scripts/run.mjs');
    const programs = [1, 2, 3].map(() => startProgram([run, ...SHORT]));
    for (const program of programs) {
      await program.ended;
      expect(program.error).toMatch(/^Building the programs …\n--port must be/);
    }
  });

  it('runs the existing build in a read-only checkout', async () => {
    const checkout = await copyCheckout();
    const run = path.join(checkout, 'scripts/run.mjs');
    await chmod(checkout, 0o555);
    const without = await spawnUnprivileged(run, SHORT);
    expect(without.error).toMatch(
      /^.*dist cannot be written \(EACCES\), and there is no build of the programs in it\n$/,
    );
    await chmod(checkout, 0o755);
    await startProgram([run, ...SHORT]).ended;
    await rm(path.join(checkout, 'dist/.built-programs'));
    await chmod(path.join(checkout, 'dist'), 0o555);
    const built = await spawnUnprivileged(run, SHORT);
    expect(built.error).toMatch(
      /^.*dist cannot be written \(EACCES\): the programs run as they were built\n--port must be/,
    );
    await chmod(path.join(checkout, 'dist'), 0o755);
  });
});

/** Creates a checkout with links to this one and a separate dist folder. */
async function copyCheckout(): Promise<string> {
  const checkout = path.join(folder, 'checkout');
  await cp(path.join(REPOSITORY, 'scripts'), path.join(checkout, 'scripts'), { recursive: true });
  for (const name of await readdir(REPOSITORY)) {
    if (['scripts', 'dist'].includes(name)) continue;
    await symlink(path.join(REPOSITORY, name), path.join(checkout, name));
  }
  return checkout;
}

/** Runs a program without root privileges, so that file permissions apply. */
async function spawnUnprivileged(file: string, words: readonly string[]): Promise<Program> {
  const started = startProgram([file, ...words], {}, await serverIdentity());
  expect((await started.ended).exitCode, started.error).toBe(1);
  return started;
}
