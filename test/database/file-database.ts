import type { DataSource } from 'typeorm';
import { afterAll } from 'vitest';
import { createDataSource } from '../../src/database/data-source.js';
import { listMigrations } from '../../src/extensions/registered-extensions.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

/** Creates the database of a test file and connects as its owner. Must be called at the top of the file. */
export async function startFileDatabase(
  create: () => Promise<TestDatabase> = createTestDatabase,
): Promise<{ database: TestDatabase; owner: DataSource }> {
  const database = await create();
  const options = { url: database.ownerUrl, poolSize: 1, applicationName: 'test', migrations: listMigrations() };
  const owner = await createDataSource(options).initialize();
  afterAll(async () => {
    await owner.destroy();
    await database.drop();
  });
  return { database, owner };
}
