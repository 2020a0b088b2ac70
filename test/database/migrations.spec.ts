import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/database/data-source.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let owner: DataSource;
beforeAll(async () => {
  database = await createTestDatabase();
  owner = await createDataSource({ url: database.ownerUrl, poolSize: 1, applicationName: 'test' }).initialize();
});
afterAll(async () => {
  await owner.destroy();
  await database.drop();
});

it('the migrations make exactly the tables that the entities describe', async () => {
  const { upQueries } = await owner.driver.createSchemaBuilder().log();
  expect(upQueries.map(({ query }) => query)).toEqual([]);
});

it('applying the migrations a second time changes nothing', async () => {
  expect(await owner.runMigrations()).toEqual([]);
});
