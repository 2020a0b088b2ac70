import { chmod, cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serverIdentity } from '../../standalone/postgres-programs.js';
import { type Program, REPOSITORY, RUN, startProgram } from '../support/program.js';
import { until } from '../support/until.js';

const TIMEOUT_MS = 120_000;
// A program that is built and ends immediately, without a database.
const SHORT = ['simulator', '--port=-1'];

let folder = tmpdir();
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'einvoice-checkout-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('scripts/run.mjs', { timeout: TIMEOUT_MS }, () => {
  it('names the programs that it knows', async () => {
    const unknown = startProgram([RUN, 'paint']);
    expect((await unknown.ended).exitCode).toBe(1);
    expect(unknown.error).toContain('start|demo|cli|migrate|simulator|api|dispatcher');
  });

  it('says which Node is needed to one that is too old', async () => {
    const older = `Object.defineProperty(process, 'version', { value: 'v18.20.8' })`;
    const started = startProgram([RUN, 'start'], {
      NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(older)}"`,
    });
    expect((await started.ended).exitCode).toBe(1);
    expect(started.error).toBe('Node v18.20.8 is too old: Node 20.19 or newer is needed\n');
  });

  it('builds immediately after a build that was killed', async () => {
    const checkout = await copyCheckout();
    const ended = startProgram([RUN, 'paint']);
    await ended.ended;
    await mkdir(path.join(checkout, 'dist'));
    await writeFile(path.join(checkout, 'dist/.building'), String(ended.processId));
    const next = startProgram([path.join(checkout, 'scripts/run.mjs'), ...SHORT]);
    expect((await next.ended).exitCode).toBe(1);
    expect(next.error).toMatch(/^Building the programs …\n--port must be/);
  });

  it('stopped while it builds, says so and lets the next one build', async () => {
    const checkout = await copyCheckout();
    const run = path.join(checkout, 'scripts/run.mjs');
    const stopped = startProgram([run, ...SHORT], {}, { detached: true });
    await until('it builds', () => stopped.error.includes('Building'));
    // As Ctrl-C does: to all of its group.
    process.kill(-stopped.processId, 'SIGINT');
    expect((await stopped.ended).exitCode).toBe(130);
    expect(stopped.error).toMatch(/\nStopped (?:during the build|before it had started)/);
    const next = startProgram([run, ...SHORT]);
    await next.ended;
    expect(next.error).toContain('--port must be');
  });

  it('in a checkout that cannot be written, says so when there is no build, and runs the one that there is', async () => {
    const checkout = await copyCheckout();
    const run = path.join(checkout, 'scripts/run.mjs');
    await chmod(checkout, 0o555);
    const without = await spawnUnprivileged(run, SHORT);
    expect(without.error).toMatch(
      /^.*dist cannot be written \(EACCES\), and there is no build of the programs in it: .*\n$/,
    );
    await chmod(checkout, 0o755);
    await startProgram([run, ...SHORT]).ended;
    await rm(path.join(checkout, 'dist/.built'));
    await chmod(path.join(checkout, 'dist'), 0o555);
    const built = await spawnUnprivileged(run, SHORT);
    expect(built.error).toMatch(
      /^.*dist cannot be written \(EACCES\): the programs run as they were built\n--port must be/,
    );
    await chmod(path.join(checkout, 'dist'), 0o755);
  });
});

/** A checkout whose build is its own: what is read is this one's. */
async function copyCheckout(): Promise<string> {
  const checkout = path.join(folder, 'checkout');
  await cp(path.join(REPOSITORY, 'scripts'), path.join(checkout, 'scripts'), { recursive: true });
  for (const name of await readdir(REPOSITORY)) {
    if (['scripts', 'dist'].includes(name)) continue;
    await symlink(path.join(REPOSITORY, name), path.join(checkout, name));
  }
  return checkout;
}

/** As a user who may not write what is not writable, which root may. */
async function spawnUnprivileged(file: string, words: readonly string[]): Promise<Program> {
  const started = startProgram([file, ...words], {}, await serverIdentity());
  expect((await started.ended).exitCode, started.error).toBe(1);
  return started;
}
