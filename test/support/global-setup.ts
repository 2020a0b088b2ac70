import { inspect } from 'node:util';
import type { TestProject } from 'vitest/node';
import { MovableClock9000000000000 } from '../../src/database/movable-clock.js';
import { listMigrations } from '../../src/extensions/registered-extensions.js';
import { migrate } from '../../src/processes/migrate.js';
import { writeSite } from '../../site/write-site.js';
import { TestPostgres } from './postgres.js';
import { claimRunFolder, makeDatabaseFolder } from './run-folder.js';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresPort: number;
  }
}

/** Starts PostgreSQL, migrates the template database of the spec files, and writes the docs site. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  try {
    writeSite();
    const server = await startServer();
    project.provide('postgresPort', server.port);
    return () => server.stop();
  } catch (error) {
    // Vitest itself would report that there are no tests and that the process hangs.
    process.stderr.write(`No test has run, because the database cannot be created.\n${inspect(error)}\n`);
    process.exit(1);
  }
}

async function startServer(): Promise<TestPostgres> {
  // Tests do not need durability. Expensive password hashes would slow down each of thousands of connections.
  const settings = [
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    'max_connections=300',
    'scram_iterations=1',
  ];
  const server = await TestPostgres.start(await makeDatabaseFolder(await claimRunFolder()), settings);
  const addressOf = await server.createDatabase('einvoice_template');
  await migrate(addressOf('einvoice_owner'), [...listMigrations(), MovableClock9000000000000]);
  return server;
}
