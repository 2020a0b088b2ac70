import { expect, it } from 'vitest';
import { startFileDatabase } from './file-database.js';

const { owner } = await startFileDatabase();

it('the migrations make exactly the tables that the entities describe', async () => {
  const { upQueries } = await owner.driver.createSchemaBuilder().log();
  expect(upQueries.map(({ query }) => query)).toEqual([]);
});

it('applying the migrations a second time changes nothing', async () => {
  expect(await owner.runMigrations()).toEqual([]);
});
