import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/database/data-source.js';
import { PreparedStatementsClient } from '../../src/database/prepared-statements.client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { FaultProxy } from '../support/proxy.js';

// A statement without a response times out after twelve seconds.

let database: TestDatabase;
let proxy: FaultProxy;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  const upstream = Number(new URL(database.appUrl).port);
  proxy = await FaultProxy.open(() => upstream);
  dataSource = await openBehindProxy();
});

afterAll(async () => {
  await proxy.close();
  await dataSource.destroy();
  await database.drop();
});

// A pool of one connection.
function openBehindProxy(): Promise<DataSource> {
  const address = new URL(database.appUrl);
  address.port = String(proxy.port);
  return createDataSource({ url: address.href, poolSize: 1, applicationName: 'test' }).initialize();
}

it('a connection pool replaces a connection after a response timeout', async () => {
  const other = await openBehindProxy();
  await Promise.all([dataSource.query('SELECT 1'), other.query('SELECT 1')]);
  proxy.applyToxics({ isBlackHole: true });
  const transaction = expect(dataSource.transaction((tx) => tx.query('SELECT $1::int', [2]))).rejects.toThrow();
  await expect(other.query('SELECT $1::int', [2])).rejects.toThrow();
  proxy.clearToxics();
  // The lost connection is still being closed.
  await other.query('SELECT 1');
  await transaction;
  expect(await dataSource.query('SELECT $1::int AS answer', [3])).toEqual([{ answer: 3 }]);
  await other.destroy();
});

it('a connection closed while idle fails its next statement', async () => {
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

describe('a connection that the server closes during a statement', () => {
  const END_ITSELF = 'SELECT pg_terminate_backend(pg_backend_pid())';

  // The error arrives immediately, the end of the socket much later.
  beforeEach(() => proxy.applyToxics({ closeDelayMs: 5_000 }));
  afterEach(() => proxy.clearToxics());

  it('is not reused', async () => {
    await expect(dataSource.query(END_ITSELF)).rejects.toMatchObject({ code: '57P01' });
    expect(await dataSource.query('SELECT $1::int AS answer', [4])).toEqual([{ answer: 4 }]);
  });

  it('is not given to a waiting caller', async () => {
    const ending = expect(dataSource.query(END_ITSELF)).rejects.toMatchObject({ code: '57P01' });
    expect(await dataSource.query('SELECT $1::int AS answer', [5])).toEqual([{ answer: 5 }]);
    await ending;
  });
});
