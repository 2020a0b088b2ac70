import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { OtherSchemaError } from '../src/database/assert-baseline.js';
import { MovableClock9000000000000 } from '../src/database/movable-clock.js';
import { listMigrations } from '../src/extensions/registered-extensions.js';
import { migrate } from '../src/processes/migrate.js';
import type { DataFolder } from './data-folder.js';
import {
  type EmbeddedPostgres,
  FolderInUseError,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from './embedded-postgres.js';

/** A service owns the database and stops it. Commands share the database with each other or with a service. */
export type Use = 'service' | 'command';

export interface EmbeddedDatabase {
  readonly ownerUrl: string;
  readonly appUrl: string;
  readonly dispatcherUrl: string;
  readonly operatorUrl: string;
  readonly port: number;
  /** Resolves when the server stops unexpectedly. */
  readonly lost: Promise<void>;
  /** Stops the server unless another process still uses it. */
  readonly close: () => Promise<void>;
  /** Stops the server immediately after a second Ctrl-C. */
  readonly kill: () => void;
}

const DATABASE = 'einvoice';
// Differs from PostgreSQL's default port, which another server may use.
const PORT_WANTED = 5_433;

// Every user of the server holds this advisory lock: services exclusively, commands as a shared lock. PostgreSQL
// releases it with the connection, so unlike a lock file it is never stale after a crash.
const USE_LOCK = 7_204_185_332;
const PREPARE_LOCK = 7_204_185_333;

const WAIT_MS_MAX = 60_000;
const WAIT_MS = 100;

const NAME_BY_USE: Record<Use, string> = {
  service: 'einvoice-service',
  command: 'einvoice-command',
};
const NAME_STOPPING = 'einvoice-stopping';

/**
 * Opens the database of a data folder and prepares its roles, database and schema. Starts the server unless it is
 * already running, for example because the process that started it was killed.
 * @throws Error if another service uses the database, or if its schema is from another version
 */
export async function openEmbeddedDatabase(folder: DataFolder, use: Use): Promise<EmbeddedDatabase> {
  const database = await openServer(folder, use);
  try {
    await migrate(database.ownerUrl, [...listMigrations(), MovableClock9000000000000]);
    return database;
  } catch (error) {
    await database.close();
    throw error instanceof OtherSchemaError ? describeOtherSchema(folder, error) : error;
  }
}

function describeOtherSchema({ path }: DataFolder, cause: Error): Error {
  const quoted = `'${path.replaceAll("'", `'\\''`)}'`;
  return new Error(
    `The data in ${path} have another schema than this version. Remove the folder and all its data with\n` +
      `  rm -r ${quoted}\nor give this version its own folder: DATA_DIR=.data2 npm start`,
    { cause },
  );
}

async function openServer(folder: DataFolder, use: Use): Promise<EmbeddedDatabase> {
  const giveUpAt = Date.now() + WAIT_MS_MAX;
  for (;;) {
    const server = await findOrStart(folder);
    const lockConnection = server === null ? null : await connectForLock(server, use);
    if (server !== null && lockConnection !== null) {
      const isFree = await mayUse(lockConnection, use, folder).catch(notWhenStopped);
      if (isFree) return opened({ folder, server, lockConnection, use });
      await lockConnection.end().catch(() => undefined);
    }
    if (Date.now() > giveUpAt) throw new Error(`The database in ${folder.path} is in use by other commands`);
    await wait(WAIT_MS);
  }
}

async function findOrStart(folder: DataFolder): Promise<EmbeddedPostgres | null> {
  const options = { directory: folder.postgres, password: folder.secrets.superuserPassword };
  const found = await findEmbeddedPostgres(options);
  if (found !== null) return found;
  try {
    return await startEmbeddedPostgres({ ...options, port: PORT_WANTED });
  } catch (error) {
    // Two processes started a server at the same time, but PostgreSQL allows only one per folder. The caller retries
    // and finds the other server.
    if (error instanceof FolderInUseError) return null;
    throw error;
  }
}

/** Opens the connection that holds the lock until this process exits. Returns null if the server is stopping. */
async function connectForLock(server: EmbeddedPostgres, use: Use): Promise<Client | null> {
  const lockConnection = new Client({
    connectionString: server.superuserUrl('postgres'),
    application_name: `${NAME_BY_USE[use]} ${process.pid}`,
  });
  lockConnection.on('error', () => undefined);
  return lockConnection.connect().then(
    () => lockConnection,
    () => null,
  );
}

/** Returns false if the caller must wait. @throws Error if another service uses the database */
async function mayUse(lockConnection: Client, use: Use, folder: DataFolder): Promise<boolean> {
  if (await tryLock(lockConnection, use)) return true;
  const holder = await findLockOwner(lockConnection);
  if (holder === null || !holder.startsWith(NAME_BY_USE.service)) return false;
  // A command may use the database concurrently with a service, but a second service may not.
  if (use === 'command') return true;
  throw new Error(
    `The service already runs on ${folder.path} (process ${holder.split(' ')[1]}).\n` +
      'Stop it first, or give this one its own folder: DATA_DIR=.data2 npm start',
  );
}

// Errors of a server that is shutting down, and of the client library after a lost connection.
const STOPPED =
  /^(?:terminating connection|Connection terminated|Client has encountered a connection error|the database system is shutting down|read ECONNRESET|write EPIPE)/;

export function saysStopped(error: unknown): boolean {
  return error instanceof Error && STOPPED.test(error.message);
}

function notWhenStopped(error: unknown): boolean {
  if (saysStopped(error)) return false;
  throw error;
}

async function tryLock(lockConnection: Client, use: Use): Promise<boolean> {
  const attempt = use === 'command' ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
  const { rows } = await lockConnection.query<{ locked: boolean }>(`SELECT ${attempt}($1) AS locked`, [USE_LOCK]);
  return rows[0].locked;
}

async function findLockOwner(lockConnection: Client): Promise<string | null> {
  const { rows } = await lockConnection.query<{ name: string }>(
    `SELECT a.application_name AS name
       FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE l.locktype = 'advisory' AND l.granted AND (l.classid::bigint << 32) + l.objid::bigint = $1
      ORDER BY a.application_name DESC LIMIT 1`,
    [USE_LOCK],
  );
  return rows[0]?.name ?? null;
}

interface Opened {
  readonly folder: DataFolder;
  readonly server: EmbeddedPostgres;
  readonly lockConnection: Client;
  readonly use: Use;
}

async function opened({ folder, server, lockConnection, use }: Opened): Promise<EmbeddedDatabase> {
  const { ownerPassword, appPassword, dispatcherPassword, operatorPassword } = folder.secrets;
  const buildUrl = (role: string, password: string): string =>
    `postgres://${role}:${password}@127.0.0.1:${server.port}/${DATABASE}`;
  const database: EmbeddedDatabase = {
    ownerUrl: buildUrl('einvoice_owner', ownerPassword),
    appUrl: buildUrl('einvoice_app', appPassword),
    dispatcherUrl: buildUrl('einvoice_dispatcher', dispatcherPassword),
    operatorUrl: buildUrl('einvoice_operator', operatorPassword),
    port: server.port,
    lost: new Promise((resolve) => lockConnection.once('end', () => resolve())),
    close: () => release(server, lockConnection, use),
    kill: () => server.kill(),
  };
  try {
    await prepare(lockConnection, folder);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Creates the login roles and the owner's database. Idempotent. */
async function prepare(lockConnection: Client, { secrets }: DataFolder): Promise<void> {
  const passwords = {
    einvoice_owner: secrets.ownerPassword,
    einvoice_app: secrets.appPassword,
    einvoice_dispatcher: secrets.dispatcherPassword,
    einvoice_operator: secrets.operatorPassword,
  };
  await lockConnection.query('SELECT pg_advisory_lock($1)', [PREPARE_LOCK]);
  const roles = await readNames(lockConnection, 'SELECT rolname AS name FROM pg_roles');
  for (const [role, password] of Object.entries(passwords)) {
    // The password needs no escaping, because it is base64url.
    if (!roles.has(role)) await lockConnection.query(`CREATE ROLE ${role} LOGIN NOBYPASSRLS PASSWORD '${password}'`);
  }
  const databases = await readNames(lockConnection, 'SELECT datname AS name FROM pg_database');
  if (!databases.has(DATABASE)) await lockConnection.query(`CREATE DATABASE ${DATABASE} OWNER einvoice_owner`);
  await lockConnection.query('SELECT pg_advisory_unlock($1)', [PREPARE_LOCK]);
}

async function readNames(lockConnection: Client, query: string): Promise<Set<string>> {
  const { rows } = await lockConnection.query<{ name: string }>(query);
  return new Set(rows.map((row) => row.name));
}

async function release(server: EmbeddedPostgres, lockConnection: Client, use: Use): Promise<void> {
  if (await isLastUser(lockConnection, use)) await server.stop();
  await lockConnection.end().catch(() => undefined);
}

async function isLastUser(lockConnection: Client, use: Use): Promise<boolean> {
  try {
    // The name makes new users wait until the server has stopped, instead of using a server that is stopping.
    await lockConnection.query(`SET application_name = '${NAME_STOPPING}'`);
    if (use !== 'command') return true;
    // A command that ran alongside a service holds no lock. PostgreSQL then only issues a warning.
    await lockConnection.query('SELECT pg_advisory_unlock_shared($1)', [USE_LOCK]);
    return await tryLock(lockConnection, 'service');
  } catch {
    // The connection was lost, and the server with it. A service owns the server, so stopping it again is safe.
    return use !== 'command';
  }
}
