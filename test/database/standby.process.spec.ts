import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.js';
import { createDataSource } from '../../src/database/data-source.js';
import { createApi } from '../../src/processes/api-application.js';
import { migrate } from '../../src/processes/migrate.js';
import { NO_RATE_LIMITS } from '../support/no-rate-limits.js';
import { TestPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

const DATABASE = 'einvoice';

let directory: string;
let server: TestPostgres;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'einvoice-standby-'));
  server = await TestPostgres.start(directory, ['fsync=off']);
  await migrate((await server.createDatabase(DATABASE))('einvoice_owner'));
}, 120_000);

afterEach(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

async function restartAsStandby(): Promise<void> {
  await server.stop();
  await writeFile(path.join(directory, 'pg/standby.signal'), '');
  await server.start();
}

async function promote(): Promise<void> {
  const client = new Client({ connectionString: server.url('postgres', DATABASE) });
  await client.connect();
  await client.query('SELECT pg_promote()');
  await client.end();
}

describe('A standby', { timeout: 60_000 }, () => {
  it('is rejected as read-only by every connection', async () => {
    await restartAsStandby();
    const url = server.url('einvoice_owner', DATABASE);
    const dataSource = createDataSource({ url, poolSize: 2, applicationName: 'test' });
    await expect(dataSource.initialize()).rejects.toMatchObject({ code: '25006' });
  });

  it('is reported by the API as not ready until it is promoted', async () => {
    const api = await createApi(
      readConfiguration('api', {
        DATABASE_URL: server.url('einvoice_app', DATABASE),
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
      await restartAsStandby();
      await until('the API is not ready', async () => (await readReadiness()) === 503);
      await promote();
      await until('the API is ready again', async () => (await readReadiness()) === 200);
    } finally {
      await api.close();
    }
  });
});
