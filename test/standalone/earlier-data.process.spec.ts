import { mkdir, readdir, stat, statfs, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDataSource } from '../../src/database/data-source.js';
import { Initial1795000000000 } from '../../src/database/migrations/1795000000000-initial.js';
import { openDataFolder } from '../../standalone/data-folder.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../standalone/embedded-postgres.js';
import { buildPrograms } from '../support/program.js';
import { until } from '../support/until.js';
import { TestData } from './test-data.js';

const TIMEOUT_MS = 180_000;
const FIRST = 'Initial1795000000000';

/** A folder as the first landed build left it, which each test copies. */
let earlier: TestData;
let test: TestData;
let data: string;
let parent: string;

beforeAll(async () => {
  await buildPrograms();
  earlier = await TestData.create();
  await onServer(earlier.folder, async (server) => {
    await makeFirstSchema(server, earlier.folder);
    await asOwner(server, `INSERT INTO tenant (tenant_id, name, created_at) VALUES (gen_random_uuid(), 'Kept', now())`);
  });
}, TIMEOUT_MS);
afterAll(() => earlier?.remove());

beforeEach(async () => {
  test = await TestData.create(earlier);
  ({ folder: data, parent } = test);
}, TIMEOUT_MS);

afterEach(async () => {
  await test.stopPrograms();
  await test.remove();
}, TIMEOUT_MS);

/** PostgreSQL alone on a folder, as the service would run it, and stopped again. */
async function onServer<T>(folder: string, work: (server: EmbeddedPostgres) => Promise<T>): Promise<T> {
  const { postgres, secrets } = await openDataFolder({ DATA_DIR: folder });
  const server = await startEmbeddedPostgres({ directory: postgres, password: secrets.superuserPassword, port: 0 });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** What the first landed build left: its roles, its database and its only migration. */
async function makeFirstSchema(server: EmbeddedPostgres, folder: string): Promise<void> {
  const { secrets } = await openDataFolder({ DATA_DIR: folder });
  const roles = [
    ['einvoice_owner', secrets.ownerPassword],
    ['einvoice_app', secrets.appPassword],
    ['einvoice_dispatcher', secrets.dispatcherPassword],
    ['einvoice_operator', secrets.operatorPassword],
  ];
  const create = roles.map(([role, word]) => `CREATE ROLE ${role} LOGIN NOBYPASSRLS PASSWORD '${word}'`);
  for (const statement of [...create, 'CREATE DATABASE einvoice OWNER einvoice_owner']) {
    await query(server.superuserUrl('postgres'), statement);
  }
  const url = `postgres://einvoice_owner:${secrets.ownerPassword}@127.0.0.1:${server.port}/einvoice`;
  const first = createDataSource({ url, poolSize: 1, applicationName: 'test' });
  await first.setOptions({ migrations: [Initial1795000000000] }).initialize();
  await first.runMigrations();
  await first.destroy();
}

async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const asOwner = <Row extends object>(server: EmbeddedPostgres, text: string): Promise<Row[]> =>
  query<Row>(server.superuserUrl('einvoice'), text);

/** Each test's folder: what its database has run, and whom it knows. */
const readContent = (folder: string): Promise<{ ran: string[]; tenants: string[] }> =>
  onServer(folder, async (server) => {
    const ran = await asOwner<{ name: string }>(server, 'SELECT name FROM schema_migration ORDER BY id');
    const tenants = await asOwner<{ name: string }>(server, 'SELECT name FROM tenant');
    return { ran: ran.map(({ name }) => name), tenants: tenants.map(({ name }) => name) };
  });

interface Ended {
  readonly exitCode: number | null;
  readonly out: string;
  readonly error: string;
}

/** Runs a program to its end; one that says that it runs on is told to stop. */
async function program(name: string, ...words: string[]): Promise<Ended> {
  const started = test.start(name, ...words);
  await until(`${name} runs or has ended`, () => !started.isRunning() || started.out.includes('Running.'), TIMEOUT_MS);
  started.kill('SIGTERM');
  const { exitCode } = await started.ended;
  return { exitCode, out: started.out, error: started.error };
}

const copies = async (): Promise<string[]> => (await readdir(parent)).filter((name) => name !== 'data');

describe('a folder of data that the first landed build left', { timeout: TIMEOUT_MS }, () => {
  it('is migrated by npm start, after a copy that says how to go back, and only once', async () => {
    const service = await program('start');
    expect(service.exitCode).toBe(0);
    const [copy, ...others] = await copies();
    expect(others).toEqual([]);
    expect(copy).toMatch(/^data-copy-\d{8}-\d{6}-Initial1795000000000$/);
    expect(service.error).toContain(`A copy from before is in ${path.join(parent, copy)}`);
    expect(service.error).toContain(`move ${data} away, rename the copy to ${data}, and start the earlier version`);
    expect((await stat(path.join(parent, copy, 'secrets.json'))).mode & 0o777).toBe(0o600);
    expect(await readContent(path.join(parent, copy))).toEqual({ ran: [FIRST], tenants: ['Kept'] });
    const { ran, tenants } = await readContent(data);
    expect(ran.length).toBeGreaterThan(1);
    expect(tenants).toEqual(['Kept']);
    expect((await program('start')).error).toBe('');
    expect(await copies()).toEqual([copy]);
  });

  it('is copied once by several commands at the same time, which all do their work', async () => {
    const commands = await Promise.all([1, 2, 3].map(() => program('cli', 'tenant', 'list', '--json')));
    expect(commands.map(({ exitCode, error }) => `${exitCode} ${exitCode === 0 ? '' : error}`)).toEqual([
      '0 ',
      '0 ',
      '0 ',
    ]);
    for (const { out } of commands) expect(JSON.parse(out)).toMatchObject({ tenants: [{ name: 'Kept' }] });
    expect(await copies()).toHaveLength(1);
  });

  it('has changed SQL functions applied by the next command, without another copy', async () => {
    expect((await program('cli', 'tenant', 'list')).exitCode).toBe(0);
    await onServer(data, (server) =>
      asOwner(server, `UPDATE database_function SET sha256 = '' WHERE name = 'accept_call'`),
    );
    expect((await program('cli', 'tenant', 'list')).exitCode).toBe(0);
    const outdated = `SELECT name FROM database_function WHERE sha256 = ''`;
    expect(await onServer(data, (server) => asOwner(server, outdated))).toEqual([]);
    expect(await copies()).toHaveLength(1);
  });

  it('is copied whole when an earlier copy was cut off, which is taken away', async () => {
    const cutOff = path.join(parent, `data-copy-20261121-000000-${FIRST}.unfinished`);
    await mkdir(path.join(cutOff, 'postgres'), { recursive: true });
    expect((await program('start')).exitCode).toBe(0);
    const [copy, ...others] = await copies();
    expect(others).toEqual([]);
    expect(await readContent(path.join(parent, copy))).toEqual({ ran: [FIRST], tenants: ['Kept'] });
  });

  it('is left as it is when there is no room for the copy', async () => {
    const { bavail, bsize } = await statfs(parent);
    const large = path.join(data, 'large');
    await writeFile(large, '');
    // Takes no room itself.
    await truncate(large, bavail * bsize + 1_000_000_000);
    const service = await program('start');
    expect(service.exitCode).toBe(1);
    expect(service.error).toMatch(/there is no room for the copy \(\d+ MB\) in .*: free some, and start again/);
    expect(await copies()).toEqual([]);
    expect((await readContent(data)).ran).toEqual([FIRST]);
  });

  it('is not migrated by the command that settles what the migration refuses', async () => {
    const listed = await program('cli', 'queue', 'conflict', '--json');
    expect(listed).toMatchObject({ exitCode: 0, error: '' });
    expect(JSON.parse(listed.out)).toEqual({ conflicts: [] });
    expect((await readContent(data)).ran).toEqual([FIRST]);
    expect(await copies()).toEqual([]);
  });

  it('but of an earlier commit is refused with what to do, and is not copied', async () => {
    await onServer(data, (server) => asOwner(server, 'ALTER TABLE user_account DROP COLUMN disabled_at'));
    for (const words of [['start'], ['cli', 'tenant', 'list'], ['migrate']] as const) {
      const refused = await program(...(words as readonly [string, ...string[]]));
      expect(refused.exitCode).toBe(1);
      expect(refused.error).toContain('before the first schema was final: table user_account is missing or different');
      expect(refused.error).toContain('move the folder of its data, DATA_DIR, away');
    }
    expect(await copies()).toEqual([]);
  });
});
