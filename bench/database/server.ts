import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { migrate } from '../../src/processes/migrate.js';
import type { Closing } from '../../standalone/program.js';
import { TestPostgres } from '../../test/support/postgres.js';

export interface BenchServer {
  /** Temporary folder of the run, which is deleted with the server. */
  readonly directory: string;
  readonly processId: number;
  /** Creates an empty database with the current schema. */
  createDatabase(name: string): Promise<BenchDatabase>;
  /** Creates a database without a schema, for a build that creates its own. */
  createBareDatabase(name: string): Promise<BenchDatabase>;
  stopAutovacuum(): Promise<void>;
}

export interface BenchDatabase {
  readonly name: string;
  readonly appUrl: string;
  readonly dispatcherUrl: string;
  readonly ownerUrl: string;
  readonly superuserUrl: string;
  readonly superuser: pg.Client;
}

/** Starts a separate PostgreSQL server with default settings, including fsync and synchronous commit. */
export async function startServer(closing: Closing): Promise<BenchServer> {
  const directory = await mkdtemp(path.join(tmpdir(), 'einvoice-bench-'));
  await closing.add({ close: () => rm(directory, { recursive: true, force: true }) });
  const server = await TestPostgres.start(directory);
  await closing.add({ close: () => server.stop(), kill: () => server.kill() });
  const superuser = await connect(closing, server.url('postgres', 'postgres'));
  const createBareDatabase = async (name: string): Promise<BenchDatabase> => {
    const addressOf = await server.createDatabase(name);
    const superuserUrl = server.url('postgres', name);
    return {
      name,
      appUrl: addressOf('einvoice_app'),
      dispatcherUrl: addressOf('einvoice_dispatcher'),
      ownerUrl: addressOf('einvoice_owner'),
      superuserUrl,
      superuser: await connect(closing, superuserUrl),
    };
  };
  return {
    directory,
    processId: server.processId,
    createBareDatabase,
    createDatabase: async (name) => {
      const database = await createBareDatabase(name);
      await migrate(database.ownerUrl);
      return database;
    },
    stopAutovacuum: async () => {
      await superuser.query('ALTER SYSTEM SET autovacuum = off');
      await superuser.query('SELECT pg_reload_conf()');
    },
  };
}

async function connect(closing: Closing, connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name: 'einvoice-bench' });
  // If the connection is lost, the next statement fails.
  client.on('error', () => undefined);
  await client.connect();
  await closing.add({ close: () => client.end() });
  return client;
}
