import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startUnwaited } from '../../simulator/testing/unwaited-process.js';
import { saysStopped } from '../../standalone/embedded-database.js';
import {
  type EmbeddedPostgres,
  findEmbeddedPostgres,
  FolderInUseError,
  startEmbeddedPostgres,
} from '../../standalone/embedded-postgres.js';

let folder: string;
let server: EmbeddedPostgres;
const options = (): { directory: string; password: string; port: number } => ({
  directory: path.join(folder, 'pg'),
  password: 'secret',
  port: 0,
});

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'einvoice-postgres-'));
  server = await startEmbeddedPostgres(options());
}, 60_000);

afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('a server that another process stops', { timeout: 60_000 }, () => {
  const connected = async (): Promise<Client> => {
    const client = new Client({ connectionString: server.superuserUrl('postgres') });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const catchError = (question: Promise<unknown>): Promise<unknown> =>
    question.then(
      () => null,
      (error: unknown) => error,
    );

  it('is detected as stopped by current and later queries', async () => {
    const clients = [await connected(), await connected()];
    const [asking, idle] = clients;
    expect(saysStopped(await catchError(idle.query('SELECT nothing')))).toBe(false);
    const gone = Promise.all(
      clients.map((client) => new Promise<void>((resolve) => client.once('end', () => resolve()))),
    );
    const underWay = catchError(asking.query('SELECT pg_sleep(60)'));
    const stopped = server.stop();
    const errors = [await underWay, await catchError(asking.query('SELECT 1'))];
    await gone;
    await stopped;
    errors.push(await catchError(idle.query('SELECT 1')));
    expect(errors.map((error) => `${saysStopped(error)} ${(error as Error).message}`)).toEqual([
      expect.stringMatching(/^true/),
      expect.stringMatching(/^true/),
      expect.stringMatching(/^true/),
    ]);
  });
});

describe('a killed server that remains a zombie process', { timeout: 60_000 }, () => {
  it.runIf(process.platform === 'linux')('is not reported as running', async () => {
    const program = path.join(folder, 'postgres');
    await copyFile('/bin/sleep', program);
    const killed = await startUnwaited(program);
    try {
      const file = path.join(folder, 'left', 'postmaster.pid');
      await mkdir(path.dirname(file));
      await writeFile(file, [killed.id, '', '', server.port, '', '', '', 'ready'].join('\n'));
      const left = { ...options(), directory: path.dirname(file) };
      expect((await findEmbeddedPostgres(left))?.processId).toBe(killed.id);
      await killed.kill();
      expect(await findEmbeddedPostgres(left)).toBeNull();
    } finally {
      killed.end();
    }
  });
});

describe('servers in different folders', { timeout: 120_000 }, () => {
  it('get different ports when they start simultaneously with the same preferred port', async () => {
    const folders = [1, 2, 3, 4].map((name) => ({
      directory: path.join(folder, `pg${name}`),
      password: `secret ${name}`,
    }));
    const made = await Promise.all(folders.map((each) => startEmbeddedPostgres({ ...each, port: 0 })));
    const { port } = made[0];
    await Promise.all(made.map((each) => each.stop()));
    for (let round = 1; round <= 5; round++) {
      const starts = await Promise.allSettled(folders.map((each) => startEmbeddedPostgres({ ...each, port })));
      const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
      const found = await Promise.all(folders.map((each) => findEmbeddedPostgres(each)));
      await Promise.all(started.map((each) => each.stop()));
      expect(starts.map(({ status }) => status)).toEqual(folders.map(() => 'fulfilled'));
      expect(found.map((each) => each?.port)).toEqual(started.map((each) => each.port));
      expect(new Set(started.map((each) => each.port)).size).toBe(folders.length);
    }
  });
});

describe('a second server in the same folder', { timeout: 60_000 }, () => {
  it('is rejected with FolderInUseError', async () => {
    await expect(startEmbeddedPostgres(options())).rejects.toThrow(FolderInUseError);
    expect((await findEmbeddedPostgres(options()))?.processId).toBe(server.processId);
  });

  it('is rejected with FolderInUseError even if several servers start simultaneously', async () => {
    const { port } = server;
    await server.stop();
    const starts = await Promise.allSettled([1, 2, 3, 4, 5].map(() => startEmbeddedPostgres({ ...options(), port })));
    const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    const refusals = starts.flatMap((start) => (start.status === 'rejected' ? [start.reason as Error] : []));
    expect(started).toHaveLength(1);
    expect(refusals.map((error) => error.constructor)).toEqual([1, 2, 3, 4].map(() => FolderInUseError));
    expect((await findEmbeddedPostgres(options()))?.processId).toBe(started[0].processId);
    [server] = started;
  });
});
