import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Program } from './program.js';
import { startRun } from './run.js';

// Each run has two PostgreSQL servers: the shared one and one that the fixture starts.

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'einvoice-runs-'));
});
// A stopping server may still write files.
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

function start(fixture: string, isByNpm = false): Program {
  return startRun({ config: 'database', fixtures: [fixture], folder, isByNpm });
}

/** Lists the command lines of all processes whose command line or environment contains the folder. */
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

/** Lists the folders of a run: its own folder and the folder of its databases in memory. */
function foldersOf(run: string): string[] {
  return [run, path.join('/dev/shm', path.basename(run))];
}

describe.runIf(process.platform === 'linux')('a test run', { timeout: 300_000 }, () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('cleans up after `npm test` receives %s', async (signal) => {
    const run = start('waits', true);
    await run.printed('Waiting');
    expect(await listServers(folder)).toHaveLength(2);
    const runFolders = (await folders()).flatMap(foldersOf);
    // Ctrl-C sends SIGINT to the whole process group.
    if (signal === 'SIGINT') process.kill(-run.processId, signal);
    else run.kill(signal);
    expect((await run.ended).exitCode).not.toBe(0);
    await expect.poll(() => listProcesses(folder), { timeout: 30_000 }).toEqual([]);
    expect(await folders()).toEqual([]);
    expect(runFolders.filter((each) => existsSync(each))).toEqual([]);
  });

  it('cleans up after a killed run but not after a running one', async () => {
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

  it('reports only the missing database if it cannot be created', async () => {
    const missing = path.join(folder, 'missing');
    const run = startRun({ config: 'database', fixtures: ['passes'], folder: missing });
    expect((await run.ended).exitCode).toBe(1);
    expect(run.output).toMatch(/No test has run, because the database cannot be created\.\nError: ENOENT/);
    expect(run.output).not.toMatch(/No test files found|Unhandled Error|close timed out/);
  });
});
