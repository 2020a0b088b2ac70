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
// A fast shutdown closes connections and writes a checkpoint, which takes at most a few seconds.
const STOP_TIMEOUT_MS = 30_000;
const FOLDER_IN_USE = /lock file "postmaster\.pid"|pre-existing shared memory block/;
const PORT_TAKEN = /could not create any TCP\/IP sockets/;
const PORTS_TRIED_MAX = 5;
const LOG_BYTES_MAX = 10_000_000;
const LOG_BYTES_SHOWN = 4_000;

export interface EmbeddedPostgresOptions {
  /** Folder of the cluster. It is created if missing. The server logs to `DIRECTORY.log` next to it. */
  readonly directory: string;
  /** Password of the superuser. The caller stores it. */
  readonly password: string;
  /** Preferred port. If it is 0 or in use, the server uses a free port. */
  readonly port: number;
  /** Server settings, such as `fsync=off` for a test that discards its data. */
  readonly settings?: readonly string[];
}

export interface EmbeddedPostgres {
  readonly port: number;
  readonly processId: number;
  superuserUrl(database: string): string;
  /** Closes all connections, flushes all data and waits until the server has stopped. */
  stop(): Promise<void>;
  /** Stops the server immediately. It recovers from its write-ahead log on the next start. */
  kill(): void;
}

export class FolderInUseError extends Error {
  constructor(directory: string) {
    super(`Another PostgreSQL server uses ${directory}`);
  }
}

/**
 * Starts PostgreSQL on the loopback address from the binaries that npm installed, and waits until it accepts
 * connections. The server runs in its own process group, so that Ctrl-C does not reach it and it can be stopped last.
 * @throws FolderInUseError if another server uses the folder
 * @throws Error if the platform has no binaries, or if the server does not start; the message contains its log
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { initdb } = await binaries();
  if (!existsSync(path.join(options.directory, 'PG_VERSION'))) {
    await initialise(initdb, await serverIdentity(), options);
  }
  for (let tried = 1; ; tried++) {
    const port = await choosePort(tried === 1 ? options.port : 0);
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
 * Finds a server on this folder that another process started, even if that process was killed.
 * @returns null if there is none
 * @throws Error if the server does not respond or rejects the password
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

/** Process of a server, which is not necessarily a child of this process. */
interface ServerProcess {
  readonly id: number;
  hasEnded(): boolean | Promise<boolean>;
  /** Returns whether this process holds the lock of its data folder and listens on its port. Until then, another server may respond on the port. */
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

// Parses postmaster.pid, where each line is a property of the running server.
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
  // The file remains from a crashed machine or container, and its pid now belongs to another process. PostgreSQL would
  // mistake that process for a server.
  await rm(path.join(directory, 'postmaster.pid'), { force: true });
  return null;
}

async function isPostgres(processId: number): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const line = await readFile(`/proc/${processId}/stat`, 'utf8').catch(() => '');
  return /^\d+ \(postgres.*\) [^ZX] /.test(line);
}

/** Sends a signal and returns whether the process exists. Signal 0 only tests for existence. */
function signal(processId: number, name: NodeJS.Signals | 0): boolean {
  try {
    return processId > 0 && process.kill(processId, name);
  } catch {
    return false;
  }
}

/** The server's log file. `latest` returns the lines since the last start. */
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
