import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Program } from './program.js';
import { startRun } from './run.js';

// Each run here has two PostgreSQL servers: the one that all its files share, and one that a file of it has started.

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'einvoice-runs-'));
});
// A server that is being ended may write its last file meanwhile.
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

function start(fixture: string, isByNpm = false): Program {
  return startRun({ config: 'database', fixtures: [fixture], folder, isByNpm });
}

/** The processes that have to do with a folder, by what they were started with. */
async function listProcesses(folder: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => Number(name) > 0 && name !== String(process.pid));
  const found = await Promise.all(
    ids.map(async (id) => {
      const [command, environment] = await Promise.all(
        ['cmdline', 'environ'].map((file) => readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '')),
      );
      return `${command}\0${environment}`.includes(folder) ? [command.replaceAll('\0', ' ')] : [];
    }),
  );
  return found.flat();
}

async function listServers(folder: string): Promise<string[]> {
  return (await listProcesses(folder)).filter((command) => command.includes('/bin/postgres -D'));
}

async function folders(): Promise<string[]> {
  return (await readdir(folder))
    .filter((name) => name.startsWith('einvoice-run-'))
    .map((name) => path.join(folder, name));
}

/** Lists the folders of a run: its own, and the one of its databases in memory. */
function foldersOf(run: string): string[] {
  return [run, path.join('/dev/shm', path.basename(run))];
}

describe.runIf(process.platform === 'linux')('PostgreSQL and the files of a run', { timeout: 300_000 }, () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('end with it when `npm test` gets %s', async (signal) => {
    const run = start('waits', true);
    await run.printed('Waiting');
    expect(await listServers(folder)).toHaveLength(2);
    const runFolders = (await folders()).flatMap(foldersOf);
    // Ctrl-C reaches the whole group.
    if (signal === 'SIGINT') process.kill(-run.processId, signal);
    else run.kill(signal);
    expect((await run.ended).exitCode).not.toBe(0);
    await expect.poll(() => listProcesses(folder), { timeout: 30_000 }).toEqual([]);
    expect(await folders()).toEqual([]);
    expect(runFolders.filter((each) => existsSync(each))).toEqual([]);
  });

  it('are ended by the next start when the run was killed, and never while it lives', async () => {
    const killed = start('waits');
    await killed.printed('Waiting');
    const [left] = await folders();
    const living = start('waits');
    await living.printed('Waiting');
    expect(await listServers(left)).toHaveLength(2);
    killed.kill('SIGKILL');
    await killed.ended;

    expect(await start('passes').ended).toMatchObject({ exitCode: 0 });
    expect(await listProcesses(left)).toEqual([]);
    expect(foldersOf(left).filter((each) => existsSync(each))).toEqual([]);
    const [its, ...others] = await folders();
    expect(others).toEqual([]);
    expect(its).not.toBe(left);
    expect(await listServers(its)).toHaveLength(2);
  });

  it('that cannot be made are the one thing that the run speaks of', async () => {
    const missing = path.join(folder, 'missing');
    const run = startRun({ config: 'database', fixtures: ['passes'], folder: missing });
    expect((await run.ended).exitCode).toBe(1);
    expect(run.output).toMatch(/No test has run: their database cannot be made\.\nError: ENOENT/);
    expect(run.output).not.toMatch(/No test files found|Unhandled Error|close timed out/);
  });
});
