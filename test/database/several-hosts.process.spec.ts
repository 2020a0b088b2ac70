import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.js';
import { createDataSource } from '../../src/database/data-source.js';
import { createApi } from '../../src/processes/api-application.js';
import { migrate } from '../../src/processes/migrate.js';
import { NO_RATE_LIMITS } from '../support/no-rate-limits.js';
import { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

const DATABASE = 'einvoice';
const SETTINGS = ['fsync=off'];
const run = promisify(execFile);

let directory: string;
let primary: TestPostgres;
let standby: TestPostgres;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'einvoice-hosts-'));
  await mkdir(path.join(directory, 'a'));
  await mkdir(path.join(directory, 'b'));
  primary = await TestPostgres.start(path.join(directory, 'a'), SETTINGS);
  const buildUrl = await primary.createDatabase(DATABASE);
  await migrate(buildUrl('einvoice_owner'));
  await primary.stop();
  // A copy of the primary, which waits for more of its log.
  await run('cp', ['-a', path.join(directory, 'a/pg'), path.join(directory, 'b/pg')]);
  await run('cp', ['-a', path.join(directory, 'b/pg/PG_VERSION'), path.join(directory, 'b/pg/standby.signal')]);
  await primary.start();
  standby = await TestPostgres.start(path.join(directory, 'b'), SETTINGS);
}, 120_000);

afterEach(async () => {
  await primary.stop();
  await standby.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Of the servers in this order. */
function buildUrl(role: 'einvoice_owner' | 'einvoice_app', ...servers: readonly TestPostgres[]): string {
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`);
  return `postgres://${role}:test@${hosts.join(',')}/${DATABASE}?target_session_attrs=read-write`;
}

function open(...servers: readonly TestPostgres[]): Promise<DataSource> {
  const url = buildUrl('einvoice_owner', ...servers);
  return createDataSource({ url, poolSize: 2, applicationName: 'test' }).initialize();
}

async function readPort(pool: DataSource): Promise<number> {
  return (await pool.query<[{ port: number }]>('SELECT inet_server_port() AS port'))[0].port;
}

async function promote(server: TestPostgres): Promise<void> {
  const client = new Client({ connectionString: server.url('postgres', DATABASE) });
  await client.connect();
  await client.query('SELECT pg_promote()');
  await client.end();
}

it('a connection to a standby is refused as one to a database that takes no writes', async () => {
  await expect(open(standby)).rejects.toMatchObject({ code: '25006' });
  await expect(open(standby, standby)).rejects.toThrow(`127.0.0.1:${standby.port}: Error: The database server is a`);
});

it('of several hosts the one that takes writes is used, also after a failover', { timeout: 60_000 }, async () => {
  const pool = await open(standby, primary);
  try {
    expect(await readPort(pool)).toBe(primary.port);
    await primary.crash();
    await expect(readPort(pool)).rejects.toThrow();
    await promote(standby);
    await until('the pool has found the new primary', async () => {
      const port = await readPort(pool).catch(() => null);
      return port === standby.port;
    });
  } finally {
    await pool.destroy();
  }
});

it('an API is ready only while one of its hosts takes writes', { timeout: 60_000 }, async () => {
  const api = await createApi(
    readConfiguration('api', {
      DATABASE_URL: buildUrl('einvoice_app', standby, primary),
      AUTHORITY_SANDBOX_API_URL: 'http://127.0.0.1:1',
      AUTHORITY_SANDBOX_CLIENT_ID: 'test',
      AUTHORITY_SANDBOX_CLIENT_SECRET: 'test',
      LOG_LEVEL: 'fatal',
      ...NO_RATE_LIMITS,
      SECRETS_KEY: '9f4c27d81be05a63c2f7e6190d3b84a5',
    }),
  );
  try {
    await api.listen(0, '127.0.0.1');
    const { port } = api.getHttpServer().address() as { port: number };
    const readReadiness = async (): Promise<number> =>
      (await fetch(`http://127.0.0.1:${port}/api/health/ready`)).status;
    expect(await readReadiness()).toBe(200);
    await primary.crash();
    await until('it is not ready with a standby alone', async () => (await readReadiness()) === 503);
    await promote(standby);
    await until('it is ready again', async () => (await readReadiness()) === 200);
  } finally {
    await api.close();
  }
});
