import { afterAll, beforeAll, expect, it } from 'vitest';
import pg from 'pg';
import { openDataFolder } from '../../standalone/data-folder.js';
import { startEmbeddedPostgres } from '../../standalone/embedded-postgres.js';
import { buildPrograms } from '../support/program.js';
import { until } from '../support/until.js';
import { TestData } from './test-data.js';

const TIMEOUT_MS = 180_000;

let data: TestData;

beforeAll(async () => {
  await buildPrograms();
  data = await TestData.create();
  expect(await run('migrate')).toMatchObject({ exitCode: 0 });
  await asSuperuser(`UPDATE schema_migration SET name = 'Baseline1700000000000' WHERE name LIKE 'Baseline%'`);
}, TIMEOUT_MS);
afterAll(async () => {
  await data.stopPrograms();
  await data.remove();
}, TIMEOUT_MS);

/** Runs a program until it exits or serves, and stops it. */
async function run(name: string, ...words: string[]): Promise<{ exitCode: number | null; error: string }> {
  const started = data.start(name, ...words);
  await until(`${name} runs or has ended`, () => !started.isRunning() || started.out.includes('Running.'), TIMEOUT_MS);
  started.kill('SIGTERM');
  const { exitCode } = await started.ended;
  return { exitCode, error: started.error };
}

async function asSuperuser(statement: string): Promise<void> {
  const { postgres, secrets } = await openDataFolder({ DATA_DIR: data.folder });
  const server = await startEmbeddedPostgres({ directory: postgres, password: secrets.superuserPassword, port: 0 });
  const client = new pg.Client({ connectionString: server.superuserUrl('einvoice') });
  await client.connect();
  await client.query(statement);
  await client.end();
  await server.stop();
}

it.each(['start', 'migrate', 'cli tenant list'])(
  '%s rejects a data folder with another schema and prints the command to remove it',
  async (command) => {
    const [name, ...words] = command.split(' ');
    const { exitCode, error } = await run(name, ...words);
    expect(exitCode).toBe(1);
    expect(error).toContain(`The data in ${data.folder} have another schema than this version`);
    expect(error).toContain(`rm -r '${data.folder}'`);
  },
  TIMEOUT_MS,
);
