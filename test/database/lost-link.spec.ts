import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/database/data-source.js';
import { PreparedStatementsClient } from '../../src/database/prepared-statements.client.js';
import { FaultProxy } from '../chaos/cluster/proxy.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

// A statement that no answer comes to is given up after twelve seconds.
const GIVEN_UP_MS_MAX = 20_000;

let database: TestDatabase;
let proxy: FaultProxy;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  const address = new URL(database.appUrl);
  const upstream = Number(address.port);
  proxy = await FaultProxy.open(() => upstream);
  address.port = String(proxy.port);
  // One connection: what becomes of it becomes of all.
  dataSource = await createDataSource({ url: address.href, poolSize: 1, applicationName: 'test' }).initialize();
});

afterAll(async () => {
  await proxy.close();
  await dataSource.destroy();
  await database.drop();
});

it(
  'gives up a statement whose answer was swallowed by the network, and the connection with it',
  { timeout: 60_000 },
  async () => {
    await dataSource.query('SELECT 1');
    proxy.suffer({ isBlackHole: true });
    const startedAt = performance.now();
    await expect(dataSource.transaction((tx) => tx.query('SELECT $1::int', [2]))).rejects.toThrow();
    expect(performance.now() - startedAt).toBeLessThan(GIVEN_UP_MS_MAX);
    proxy.heal();
    expect(await dataSource.query('SELECT $1::int AS answer', [3])).toEqual([{ answer: 3 }]);
  },
);

it('a connection that the database ends while nobody listens to it fails its next statement, not the process', async () => {
  const client = new PreparedStatementsClient({ connectionString: database.ownerUrl });
  await client.connect();
  const { rows } = await client.query<{ id: number }>('SELECT pg_backend_pid() AS id');
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  const owner = await createDataSource({ url: database.ownerUrl, poolSize: 1, applicationName: 'test' }).initialize();
  await owner.query('SELECT pg_terminate_backend($1)', [rows[0].id]);
  await ended;
  await owner.destroy();
  await expect(client.query('SELECT 1')).rejects.toThrow();
});
