import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/database/data-source.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let owner: DataSource;
let service: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  const open = (): Promise<DataSource> =>
    createDataSource({ url: database.ownerUrl, poolSize: 1, applicationName: 'test' }).initialize();
  // With one connection, the next call runs the prepared statement.
  [owner, service] = await Promise.all([open(), open()]);
});

afterAll(async () => {
  await Promise.all([owner.destroy(), service.destroy()]);
  await database.drop();
});

const CALLERS = 3;
const CHANGES = 1_500;
const CALLS = 2_000;

let table = 0;
let name = '';
beforeEach(async () => {
  table += 1;
  name = `measured_${table}`;
  await owner.query(`CREATE TABLE ${name} (id integer, value integer)`);
  await owner.query(`INSERT INTO ${name} VALUES (1, 10)`);
});

const readConnectionId = async (): Promise<number> =>
  (await service.query<{ id: number }[]>('SELECT pg_backend_pid() AS id'))[0].id;

describe('a prepared statement with an outdated result type', () => {
  const read = (): string => `SELECT value FROM ${name} WHERE id = $1`;
  const write = (): string => `INSERT INTO ${name} VALUES ($1, 20)`;

  beforeEach(async () => {
    await service.query(read(), [1]);
    await owner.query(`ALTER TABLE ${name} ALTER COLUMN value TYPE bigint`);
  });

  it('is retried once on its connection', async () => {
    const connection = await readConnectionId();
    expect(await service.query(read(), [1])).toEqual([{ value: '10' }]);
    expect(await service.query(read(), [1])).toEqual([{ value: '10' }]);
    expect(await readConnectionId()).toBe(connection);
  });

  it('restarts its database transaction', async () => {
    let runs = 0;
    const values = await service.transaction(async (tx) => {
      runs += 1;
      await tx.query(write(), [2]);
      return tx.query<unknown[]>(read(), [1]);
    });
    expect(values).toEqual([{ value: '10' }]);
    expect(runs).toBe(2);
    expect(await owner.query(`SELECT id, value FROM ${name} ORDER BY id`)).toEqual([
      { id: 1, value: '10' },
      { id: 2, value: '20' },
    ]);
  });

  it('is retried once together with other outdated statements', async () => {
    const others = [`SELECT value AS a FROM ${name} WHERE id = $1`, `SELECT value AS b FROM ${name} WHERE id = $1`];
    for (const text of others) await service.query(text, [1]);
    await owner.query(`ALTER TABLE ${name} ALTER COLUMN value TYPE numeric`);
    let runs = 0;
    await service.transaction(async (tx) => {
      runs += 1;
      for (const text of [read(), ...others]) await tx.query(text, [1]);
    });
    expect(runs).toBe(2);
  });
});

describe('a database transaction with a serialization failure', () => {
  const lose = `DO $$ BEGIN RAISE EXCEPTION 'lost' USING ERRCODE = '40001'; END $$`;
  const run = async (losses: number): Promise<number> => {
    let runs = 0;
    await service.transaction(async (tx) => {
      runs += 1;
      await tx.query(`INSERT INTO ${name} VALUES ($1, 20)`, [2]);
      if (runs <= losses) await tx.query(lose);
    });
    return runs;
  };

  it('is retried and writes its rows once', async () => {
    expect(await run(2)).toBe(3);
    expect(await owner.query(`SELECT id FROM ${name} WHERE id = 2`)).toEqual([{ id: 2 }]);
  });

  it('fails with 503 after three attempts', async () => {
    await expect(run(3)).rejects.toMatchObject({ status: 503 });
    expect(await owner.query(`SELECT id FROM ${name} WHERE id = 2`)).toEqual([]);
  });
});

it('a database transaction is not retried after an unsupported feature (0A000)', async () => {
  const unsupported = `SELECT count(*) FROM ${name} WHERE id = $1 FOR UPDATE`;
  await expect(service.query(unsupported, [1])).rejects.toMatchObject({ code: '0A000' });
  let runs = 0;
  const transaction = service.transaction((tx) => {
    runs += 1;
    return tx.query(unsupported, [1]);
  });
  await expect(transaction).rejects.toMatchObject({ code: '0A000' });
  expect(runs).toBe(1);
});

it('calls of a function succeed while it is replaced', async () => {
  const address = { url: database.ownerUrl, poolSize: CALLERS, applicationName: 'test' };
  const callers = await createDataSource(address).initialize();
  const define = `CREATE FUNCTION answer_of(given integer) RETURNS TABLE (value integer)
    LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT given; END $$`;
  await owner.query(define);
  // Only one call in several hundred is between planning and execution.
  const ended = Array.from({ length: CALLERS }, () => 0);
  const call = async (caller: number): Promise<void> => {
    for (; ended[caller] < CALLS; ended[caller] += 1) await callers.query('SELECT value FROM answer_of($1)', [1]);
  };
  const change = async (): Promise<void> => {
    for (let changes = 0; changes < CHANGES; changes += 1) {
      const before = [...ended];
      await owner.query(`BEGIN; DROP FUNCTION answer_of(integer); ${define}; COMMIT`);
      // Waits until every caller has made a call, so that no retry meets another replacement.
      while (ended.some((calls, caller) => calls === before[caller] && calls < CALLS)) await setImmediate();
    }
  };
  await Promise.all([change(), ...ended.map((_, caller) => call(caller))]);
  await callers.destroy();
});
