import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDataSource } from '../../src/database/data-source.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('connections have the planner settings and timeouts of the service', async () => {
  const source = createDataSource({ url: database.ownerUrl, poolSize: 1, applicationName: 'test' });
  await source.initialize();
  const rows = await source.query<{ name: string; setting: string }[]>(
    `SELECT name, setting FROM pg_settings
      WHERE name IN ('jit', 'plan_cache_mode', 'enable_seqscan', 'statement_timeout', 'idle_in_transaction_session_timeout')`,
  );
  await source.destroy();
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    // Debian enables jit, whose compilation takes a hundred times as long as the statement.
    jit: 'off',
    plan_cache_mode: 'force_generic_plan',
    enable_seqscan: 'off',
    statement_timeout: '10000',
    idle_in_transaction_session_timeout: '10000',
  });
});
