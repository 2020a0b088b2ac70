import path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/processes/migrate.js';
import { startEmbeddedPostgres } from '../../standalone/embedded-postgres.js';
import { claimRunFolder } from './run-folder.js';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresPort: number;
  }
}

const PASSWORD = 'test';

/** One real PostgreSQL for the run, with a migrated template that every spec file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await claimRunFolder();
  // Durability is what a test run may give up; nothing else differs from the real server.
  const settings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=300'];
  const server = await startEmbeddedPostgres({
    directory: path.join(folder, 'pg'),
    password: PASSWORD,
    port: 0,
    settings,
  });
  const superuser = new pg.Client({ connectionString: server.superuserUrl('postgres') });
  await superuser.connect();
  for (const role of ['einvoice_owner', 'einvoice_app', 'einvoice_dispatcher', 'einvoice_operator']) {
    await superuser.query(`CREATE ROLE ${role} LOGIN NOBYPASSRLS PASSWORD '${PASSWORD}'`);
  }
  await superuser.query('CREATE DATABASE einvoice_template OWNER einvoice_owner');
  await superuser.end();
  await migrate(`postgres://einvoice_owner:${PASSWORD}@127.0.0.1:${server.port}/einvoice_template`);
  project.provide('postgresPort', server.port);
  return () => server.stop();
}
