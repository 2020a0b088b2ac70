import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { migrate } from '../../src/processes/migrate.js';
import { startEmbeddedPostgres } from '../../standalone/embedded-postgres.js';
import type { Closing } from '../../standalone/program.js';

const ROLES = ['einvoice_owner', 'einvoice_app', 'einvoice_dispatcher', 'einvoice_operator'] as const;

export interface BenchServer {
  /** Temporary folder of the run; goes with the server. */
  readonly directory: string;
  readonly processId: number;
  /** A migrated, empty database. */
  createDatabase(name: string): Promise<BenchDatabase>;
  /** A database without a schema, for a build that makes its own. */
  createBareDatabase(name: string): Promise<BenchDatabase>;
  /** For runs that vacuum by themselves. */
  stopAutovacuum(): Promise<void>;
  /** What PostgreSQL has logged so far. */
  log(): Promise<string>;
}

export interface BenchDatabase {
  readonly name: string;
  readonly appUrl: string;
  readonly dispatcherUrl: string;
  readonly ownerUrl: string;
  readonly superuserUrl: string;
  /** The superuser's connection: fills, looks and cleans. */
  readonly superuser: pg.Client;
}

/** A separate PostgreSQL, as an operator gets it by default: fsync, synchronous commit, its own memory settings. */
export async function startServer(closing: Closing): Promise<BenchServer> {
  const directory = await mkdtemp(path.join(tmpdir(), 'einvoice-bench-'));
  await closing.add({ close: () => rm(directory, { recursive: true, force: true }) });
  const password = randomBytes(16).toString('hex');
  const cluster = path.join(directory, 'pg');
  const server = await startEmbeddedPostgres({ directory: cluster, password, port: 0 });
  await closing.add({ close: () => server.stop(), kill: () => server.kill() });
  const superuser = await connect(closing, server.superuserUrl('postgres'));
  for (const role of ROLES) {
    await superuser.query(`CREATE ROLE ${role} LOGIN NOBYPASSRLS PASSWORD '${password}'`);
  }
  const buildUrl = (role: string, name: string): string =>
    `postgres://${role}:${password}@127.0.0.1:${server.port}/${name}`;
  const createBareDatabase = async (name: string): Promise<BenchDatabase> => {
    await superuser.query(`CREATE DATABASE ${name} OWNER einvoice_owner`);
    return {
      name,
      appUrl: buildUrl('einvoice_app', name),
      dispatcherUrl: buildUrl('einvoice_dispatcher', name),
      ownerUrl: buildUrl('einvoice_owner', name),
      superuserUrl: server.superuserUrl(name),
      superuser: await connect(closing, server.superuserUrl(name)),
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
    log: () => readFile(`${cluster}.log`, 'utf8'),
  };
}

async function connect(closing: Closing, connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name: 'einvoice-bench' });
  // A server that goes away is noticed by the next statement.
  client.on('error', () => undefined);
  await client.connect();
  await closing.add({ close: () => client.end() });
  return client;
}
