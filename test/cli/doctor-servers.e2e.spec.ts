import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Finding } from '../../src/cli/doctor/finding.js';
import { runDiagnosis } from '../../src/processes/cli.js';
import { migrate } from '../../src/processes/migrate.js';
import { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

// What `doctor` says of a primary, its standby and its backups; the tests change the servers in their order.

const DATABASE = 'einvoice';
const run = promisify(execFile);

let directory: string;
let primary: TestPostgres;
let standby: TestPostgres;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'einvoice-doctor-'));
  await mkdir(path.join(directory, 'a'));
  await mkdir(path.join(directory, 'b'));
  primary = await TestPostgres.start(path.join(directory, 'a'), ['fsync=off']);
  await migrate((await primary.createDatabase(DATABASE))('einvoice_owner'));
  await primary.stop();
  primary = new TestPostgres(path.join(directory, 'a'), ['fsync=off', 'archive_mode=on', 'archive_command=true']);
  await run('cp', ['-a', path.join(directory, 'a/pg'), path.join(directory, 'b/pg')]);
  await run('cp', ['-a', path.join(directory, 'b/pg/PG_VERSION'), path.join(directory, 'b/pg/standby.signal')]);
  await primary.start();
  const source = `host=127.0.0.1 port=${primary.port} user=postgres password=test application_name=standby_a`;
  const settings = ['fsync=off', `primary_conninfo=${source}`, 'wal_receiver_status_interval=1s'];
  standby = await TestPostgres.start(path.join(directory, 'b'), settings);
  await until(
    'the standby streams',
    async () => (await asSuperuser(`SELECT FROM pg_stat_replication WHERE state = 'streaming'`)) > 0,
  );
});

afterAll(async () => {
  await standby.stop();
  await primary.stop();
  await rm(directory, { recursive: true, force: true });
});

async function asSuperuser(statement: string, server = primary, database = DATABASE): Promise<number> {
  const client = new Client({ connectionString: server.url('postgres', database) });
  await client.connect();
  try {
    return (await client.query(statement)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}

async function setSynchronous(names: string): Promise<void> {
  await asSuperuser(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
  await asSuperuser('SELECT pg_reload_conf()');
  await until('the setting is in force', async () => {
    return (await asSuperuser(`SELECT 1 WHERE current_setting('synchronous_standby_names') = '${names}'`)) > 0;
  });
}

/** Findings of a check; each that is not good has something to do. */
async function examine(check: string): Promise<Finding[]> {
  let out = '';
  const output = { out: (text: string) => void (out += text), error: () => undefined };
  await runDiagnosis(
    { environment: { DATABASE_OWNER_URL: primary.url('einvoice_owner', DATABASE) }, problem: null },
    ['doctor', '--json'],
    output,
  );
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  for (const { result, fix } of findings) expect(fix === null).toBe(result === 'good');
  return findings.filter((finding) => finding.check === check);
}

/** As `result: found`. */
async function find(check: string): Promise<string[]> {
  return (await examine(check)).map(({ result, found }) => `${result}: ${found}`);
}

it('says plainly what its role may not see, instead of guessing', async () => {
  expect(await find('replication')).toEqual([
    expect.stringMatching(/^advice: 1 standbys; .* cannot be known from here/),
  ]);
  expect(await find('backups')).toContainEqual(
    expect.stringMatching(/^advice: .*base backup cannot be known from here/),
  );
  await asSuperuser('GRANT pg_monitor TO einvoice_owner');
});

it('advises to make a standby synchronous', async () => {
  expect(await find('replication')).toEqual(['advice: 1 standbys, 0 of them synchronous']);
});

it('names the standby of synchronous_standby_names that is missing while another one holds', async () => {
  await setSynchronous('FIRST 1 (standby_a, "standby_b")');
  await until('the standby is synchronous', async () => {
    return (await asSuperuser(`SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`)) > 0;
  });
  expect(await find('replication')).toEqual([
    'good: 1 standbys, 1 of them synchronous',
    'advice: standby_b of synchronous_standby_names is missing',
  ]);
});

it.each(['ANY 2 (standby_a, standby_b)', 'standby_b'])('says that every commit waits with %s', async (names) => {
  await setSynchronous(names);
  expect(await find('replication')).toEqual([expect.stringMatching(/^problem: .*every commit waits$/)]);
  await setSynchronous('');
});

it('says how to go on with a standby that has what it does not replay', async () => {
  await asSuperuser('SELECT pg_wal_replay_pause()', standby);
  await asSuperuser('CREATE TABLE not_replayed ()');
  const isLate = `SELECT FROM pg_stat_replication WHERE replay_lag > interval '61 seconds'`;
  await until('the standby is late', async () => (await asSuperuser(isLate)) > 0);
  expect(await examine('replication')).toContainEqual({
    check: 'replication',
    result: 'problem',
    found: expect.stringMatching(/^standby_a has not replayed the last \d+ s, which it has$/) as string,
    fix: expect.stringContaining('On the standby, as a superuser: SELECT pg_wal_replay_resume()') as string,
  });
  // In a database without changes, since what is replayed then cancels statements of the others.
  await asSuperuser('SELECT pg_wal_replay_resume()', standby, 'postgres');
  const isDone = `SELECT FROM pg_stat_replication WHERE coalesce(replay_lag < interval '1 second', true)`;
  await until('the standby has replayed', async () => (await asSuperuser(isDone)) > 0);
  expect(await find('replication')).toEqual(['advice: 1 standbys, 0 of them synchronous']);
});

it('names a slot whose standby is missing', async () => {
  await asSuperuser(`SELECT pg_create_physical_replication_slot('standby_c', true)`);
  expect(await find('replication')).toContainEqual(
    expect.stringMatching(/^problem: the standby of slot standby_c is missing/),
  );
  await asSuperuser(`SELECT pg_drop_replication_slot('standby_c')`);
});

it('tells the age of the last base backup from its record, and that there is none', async () => {
  expect(await find('backups')).toContainEqual(expect.stringMatching(/^advice: .*this server has none on record$/));
  const client = new Client({ connectionString: primary.url('postgres', DATABASE) });
  await client.connect();
  await client.query(`SELECT pg_backup_start('base', true)`);
  await client.query('SELECT pg_backup_stop(false)');
  await client.end();
  expect(await find('backups')).toContainEqual('good: the last base backup is 0.0 days old');
  const folder = path.join(primary.directory, 'pg/pg_wal');
  const record = (await readdir(folder)).find((name) => name.endsWith('.backup')) ?? '';
  const earlier = new Date(Date.now() - 9 * 86_400_000);
  await utimes(path.join(folder, record), earlier, earlier);
  expect(await find('backups')).toContainEqual('problem: the last base backup is 9.0 days old');
});
