import path from 'node:path';
import { Test, type TestingModule } from '@nestjs/testing';
import { getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dataSourceOptions } from '../../src/database/data-source.js';
import { DatabaseModule } from '../../src/database/database.module.js';
import type { Caller } from '../../src/database/in-tenant.js';
import { ReliableDataSource } from '../../src/database/reliable-data-source.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { Reminder } from '../support/fixtures/extending/reminder.entity.js';
import { RemindersService } from '../support/fixtures/extending/reminders.service.js';
import { insertTenant } from '../support/tenants.js';
import { filesUnder, readText } from './pages.js';

// Tests the code in docs/extending.md, which is a copy of these files.

const FOLDER = 'test/support/fixtures/extending';
const page = readText('docs/extending.md');
/** Code blocks by the path in their first line. */
const blocks = new Map(
  [...page.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```/gm)].map(([, file = '', code = '']) => [file, code]),
);
const [, sql = ''] = /^```sql\n([\s\S]*?)^```/m.exec(page) ?? [];

const DAY_MS = 86_400_000;
const TOMORROW = new Date(Date.now() + DAY_MS);

let database: TestDatabase;
let owner: DataSource;
let api: TestingModule;

beforeAll(async () => {
  database = await createTestDatabase();
  const options = dataSourceOptions({ url: database.ownerUrl, poolSize: 2, applicationName: 'test' });
  owner = await new ReliableDataSource({ ...options, entities: [...(options.entities as []), Reminder] }).initialize();
  await owner.query(sql);
  const imports = [openDatabase(database.appUrl), TypeOrmModule.forFeature([Reminder])];
  api = await Test.createTestingModule({ imports, providers: [RemindersService] }).compile();
});

afterAll(async () => {
  await api.close();
  await owner.destroy();
  await database.drop();
});

describe('code in docs/extending.md', () => {
  it.each(filesUnder(FOLDER, /\.ts$/))('matches %s', (fixture) => {
    const shown = [...blocks.keys()].find((file) => path.basename(file) === path.basename(fixture)) ?? '';
    expect(resolveImports(blocks.get(shown) ?? '', shown)).toBe(resolveImports(readText(fixture), fixture));
  });

  it('contains no other files', () => {
    const files = [...blocks.keys()].map((file) => path.basename(file));
    expect(files.toSorted()).toEqual(filesUnder(FOLDER, /\.ts$/).map((file) => path.basename(file)));
  });

  it('creates the table of its entity', async () => {
    const { upQueries } = await owner.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });
});

describe('example feature in docs/extending.md', () => {
  let one: Caller;
  let other: Caller;
  let reminders: RemindersService;

  beforeEach(async () => {
    await owner.query('DELETE FROM reminder');
    [one, other] = [await createCaller(), await createCaller()];
    reminders = api.get(RemindersService);
  });

  it('isolates the rows of tenants', async () => {
    const reminder = { id: uuidv7(), text: 'Pay', dueAt: TOMORROW };
    await reminders.add(one, reminder);
    expect(await reminders.list(one)).toEqual([{ tenantId: one.tenantId, ...reminder }]);
    expect(await reminders.list(other)).toEqual([]);
  });

  it('cannot read or insert rows without a tenant transaction', async () => {
    const reminder = { id: uuidv7(), text: 'Pay', dueAt: TOMORROW };
    await reminders.add(one, reminder);
    const repository = api.get<Repository<Reminder>>(getRepositoryToken(Reminder), { strict: false });
    expect(await repository.find()).toEqual([]);
    const another = { ...reminder, tenantId: one.tenantId, id: uuidv7() };
    await expect(repository.insert(another)).rejects.toThrow('row-level security');
  });
});

function openDatabase(url: string): ReturnType<typeof DatabaseModule.forRoot> {
  return DatabaseModule.forRoot({ url, poolSize: 2, applicationName: 'test' });
}

async function createCaller(): Promise<Caller> {
  const { tenantId } = await insertTenant(owner);
  return { tenantId, environment: 'sandbox' };
}

/** Returns the text of a file with the import paths used on the page. */
function resolveImports(text: string, file: string): string {
  return text.replaceAll(/(?<=from ')\.[^']*/g, (specifier) => {
    const imported = path.posix.join(path.posix.dirname(file), specifier);
    const shown = [...blocks.keys()].find((name) => path.basename(name, '.ts') === path.basename(imported, '.js'));
    return shown ?? imported;
  });
}
