import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { choosePort } from './ports.js';
import { binaries, initialise, serverIdentity, spawnAs } from './postgres-programs.js';

const START_TIMEOUT_MS = 60_000;
const POLL_MS = 50;
// Fast shutdown ends open connections; PostgreSQL itself needs a checkpoint, seconds at most on one machine's data.
const STOP_TIMEOUT_MS = 30_000;
// What a server says that is refused its folder.
const FOLDER_IN_USE = /lock file "postmaster\.pid"|pre-existing shared memory block/;
// And one whose port somebody else took after it was found free.
const PORT_TAKEN = /could not create any TCP\/IP sockets/;
const PORTS_TRIED_MAX = 5;
const LOG_BYTES_MAX = 10_000_000;
const LOG_BYTES_SHOWN = 4_000;

export interface EmbeddedPostgresOptions {
  /** Folder of the cluster; made when it does not exist. The server's log is the file next to it, `DIRECTORY.log`. */
  readonly directory: string;
  /** Superuser's password; kept by the caller. */
  readonly password: string;
  /** Wanted port; a free one is taken when it is 0 or taken. */
  readonly port: number;
  /** Lines for the server, such as `fsync=off` for a test that throws its data away. */
  readonly settings?: readonly string[];
}

export interface EmbeddedPostgres {
  readonly port: number;
  readonly processId: number;
  /** Connection string of the superuser. */
  superuserUrl(database: string): string;
  /** Ends open connections, writes everything out and waits until the server has gone. */
  stop(): Promise<void>;
  /** Tells the server to end immediately; it recovers from its log at the next start. */
  kill(): void;
}

/** Another server has the folder, or is just leaving it. */
export class FolderInUseError extends Error {
  constructor(directory: string) {
    super(`Another PostgreSQL server uses ${directory}`);
  }
}

/**
 * Starts a real PostgreSQL from the binaries that npm installed, on loopback, and waits until it answers.
 * The server is a separate process group, so that Ctrl-C reaches us alone and the database is stopped last.
 * @throws FolderInUseError when another server has the folder
 * @throws Error when the binaries are missing for this platform, or the server does not start (with its log)
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { initdb } = await binaries();
  if (!existsSync(path.join(options.directory, 'PG_VERSION'))) {
    await initialise(initdb, await serverIdentity(), options);
  }
  for (let tried = 1; ; tried++) {
    const { port } = await choosePort(tried === 1 ? options.port : 0);
    try {
      return await startOnPort({ ...options, port });
    } catch (error) {
      if (!(error instanceof PortTakenError) || tried === PORTS_TRIED_MAX) throw error;
    }
  }
}

class PortTakenError extends Error {}

async function startOnPort(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { directory, port } = options;
  const { postgres } = await binaries();
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...(options.settings ?? [])];
  const log = await openLog(`${directory}.log`);
  const server = spawnAs(
    await serverIdentity(),
    [postgres, '-D', directory, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    log.descriptor,
  );
  await log.close();
  const process = watchServer(server, directory);
  try {
    await answering({ port, password: options.password }, process, log);
  } catch (error) {
    const said = await log.latest();
    if (FOLDER_IN_USE.test(said)) throw new FolderInUseError(directory);
    if (PORT_TAKEN.test(said)) throw new PortTakenError(`Another program has port ${port}`, { cause: error });
    throw error;
  }
  return embedded(options, port, process);
}

/**
 * The server that another process, alive or killed, has running on this folder; null when there is none.
 * @throws Error when it does not respond, or does not know the password
 */
export async function findEmbeddedPostgres(
  options: Pick<EmbeddedPostgresOptions, 'directory' | 'password'>,
): Promise<EmbeddedPostgres | null> {
  const found = await runningServer(options.directory);
  if (found === null) return null;
  const process: ServerProcess = {
    id: found.processId,
    hasEnded: async () => (await runningServer(options.directory))?.processId !== found.processId,
    isReady: () => isReady(options.directory, found.processId),
  };
  const isAnswering = await answering({ ...options, port: found.port }, process, null).then(
    () => true,
    async (error: unknown) => {
      if (await process.hasEnded()) return false;
      throw error;
    },
  );
  return isAnswering ? embedded(options, found.port, process) : null;
}

/** A server's process, whether it is our child or not. */
interface ServerProcess {
  readonly id: number;
  hasEnded(): boolean | Promise<boolean>;
  /** Whether it has its folder and its port: before that, somebody else's server may answer there. */
  isReady(): Promise<boolean>;
}

function watchServer(server: ChildProcess, directory: string): ServerProcess {
  let isUnstartable = false;
  server.once('error', () => (isUnstartable = true));
  return {
    id: server.pid ?? 0,
    hasEnded: () => isUnstartable || server.exitCode !== null || server.signalCode !== null,
    isReady: () => isReady(directory, server.pid ?? 0),
  };
}

function embedded(
  { password }: Pick<EmbeddedPostgresOptions, 'password'>,
  port: number,
  process: ServerProcess,
): EmbeddedPostgres {
  return {
    port,
    processId: process.id,
    superuserUrl: (database) => superuserUrl({ port, password }, database),
    stop: () => stop(process),
    kill: () => signal(process.id, 'SIGQUIT'),
  };
}

function superuserUrl({ port, password }: { port: number; password: string }, database: string): string {
  return `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

// What a server writes about itself into its folder, a line each.
async function serverFile(directory: string): Promise<{ processId: number; port: number; status: string }> {
  const lines = (await readFile(path.join(directory, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return { processId: Number(lines[0]), port: Number(lines[3]), status: (lines[7] ?? '').trim() };
}

async function isReady(directory: string, expected: number): Promise<boolean> {
  const { processId, status } = await serverFile(directory);
  return processId === expected && status === 'ready';
}

async function runningServer(directory: string): Promise<{ processId: number; port: number } | null> {
  const { processId, port } = await serverFile(directory);
  if (!processId || !port) return null;
  if (!signal(processId, 0)) return null;
  if (await isPostgres(processId)) return { processId, port };
  // Left by a machine or container that went down; PostgreSQL would take the process that has the number now for a
  // server.
  await rm(path.join(directory, 'postmaster.pid'), { force: true });
  return null;
}

async function isPostgres(processId: number): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  // The kernel's line about it: number, name and state, which is Z for one that has ended and was not waited for.
  const line = await readFile(`/proc/${processId}/stat`, 'utf8').catch(() => '');
  return /^\d+ \(postgres.*\) [^ZX] /.test(line);
}

/** Whether there was such a process to be signalled. */
function signal(processId: number, name: NodeJS.Signals | 0): boolean {
  try {
    return processId > 0 && process.kill(processId, name);
  } catch {
    return false;
  }
}

/** The server's log, which outlives us with the server, and what this start wrote into it. */
interface ServerLog {
  readonly descriptor: number;
  close(): Promise<void>;
  latest(): Promise<string>;
}

async function openLog(file: string): Promise<ServerLog> {
  const handle = await open(file, 'a', 0o600);
  const { size } = await handle.stat();
  if (size > LOG_BYTES_MAX) await handle.truncate(0);
  const begin = size > LOG_BYTES_MAX ? 0 : size;
  return {
    descriptor: handle.fd,
    close: () => handle.close(),
    latest: async () => (await readFile(file)).subarray(begin).subarray(-LOG_BYTES_SHOWN).toString().trim(),
  };
}

const WRONG_PASSWORD = '28P01';

async function answering(
  server: { port: number; password: string },
  process: ServerProcess,
  log: ServerLog | null,
): Promise<void> {
  const giveUpAt = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const error: (Error & { code?: string }) | null = (await process.isReady())
      ? await tryConnection(superuserUrl(server, 'postgres'))
      : new Error('it is not ready yet');
    if (error === null) return;
    if (error.code === WRONG_PASSWORD) {
      throw new Error('The database does not know the password in secrets.json: they belong to different folders', {
        cause: error,
      });
    }
    if ((await process.hasEnded()) || Date.now() > giveUpAt) {
      throw new Error(`PostgreSQL does not respond:\n${(await log?.latest()) ?? error.message}`, { cause: error });
    }
    await wait(POLL_MS);
  }
}

async function tryConnection(url: string): Promise<(Error & { code?: string }) | null> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function stop(process: ServerProcess): Promise<void> {
  const killAt = Date.now() + STOP_TIMEOUT_MS;
  signal(process.id, 'SIGINT');
  while (!(await process.hasEnded())) {
    if (Date.now() > killAt) signal(process.id, 'SIGKILL');
    await wait(POLL_MS);
  }
}
