import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startFileDatabase } from './file-database.js';

const { owner } = await startFileDatabase();

it('the migrations create the schema of the entities', async () => {
  const { upQueries } = await owner.driver.createSchemaBuilder().log();
  expect(upQueries.map(({ query }) => query)).toEqual([]);
});

it('the migrations are applied only once', async () => {
  expect(await owner.runMigrations()).toEqual([]);
});

it('every file of src/entities is registered in ENTITIES', () => {
  const files = readdirSync(path.resolve(import.meta.dirname, '../../src/entities'));
  const listed = owner.entityMetadatas.map(({ name }) => name);
  expect(files.map(nameClass).toSorted()).toEqual(listed.toSorted());
});

/** `api-key.entity.ts` declares `ApiKey`. */
function nameClass(file: string): string {
  const [words = ''] = file.split('.');
  return words.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
}
