import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/database/data-source.js';
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
