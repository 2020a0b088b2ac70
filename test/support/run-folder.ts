import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, statfs } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

// A test run has one folder for its temporary files and databases. TMPDIR identifies the processes of the run, so that
// they can be ended and the files deleted even after the run was killed.

const PREFIX = 'einvoice-run-';
const OWNER = 'owner';
// An immediate shutdown of PostgreSQL takes five seconds at most.
const QUIT_MS_MAX = 8_000;
const END_MS_MAX = 15_000;
const POLL_MS = 20;
const PARENT_POLL_MS = 500;
/** RAM disk of Linux. */
const MEMORY = '/dev/shm';
/** Twenty times the size of a run's databases. A container often has only 64 MB. */
const MEMORY_BYTES_MIN = 4 * 1024 ** 3;

/**
 * Creates the folder of this run and sets TMPDIR for all child processes. When this process exits, they are ended and
 * the folder is deleted. Also cleans up after killed runs.
 */
export async function claimRunFolder(): Promise<string> {
  await sweepRuns();
  const unclaimed = await mkdtemp(path.join(tmpdir(), `.${PREFIX}`));
  // The operating system closes the socket when the process ends. A process id could be reused by another process.
  const owner = createServer().listen(path.join(unclaimed, OWNER)).unref();
  await once(owner, 'listening');
  // The rename publishes the folder only after it has its owner.
  const folder = path.join(path.dirname(unclaimed), path.basename(unclaimed).slice(1));
  await rename(unclaimed, folder);
  process.env.TMPDIR = folder;
  process.once('exit', () => endRun(folder));
  exitWhenEnded();
  return folder;
}

/**
 * Creates the folder for the databases of a run, in memory if there is enough. A new database consists of hundreds of
 * small files, which take ten times as long on disk.
 */
export async function makeDatabaseFolder(folder: string): Promise<string> {
  if (!(await hasRoom(MEMORY))) return folder;
  const inMemory = inMemoryOf(folder);
  await mkdir(inMemory, { mode: 0o700 });
  return inMemory;
}

async function hasRoom(directory: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(directory).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= MEMORY_BYTES_MIN;
}

function inMemoryOf(folder: string): string {
  return path.join(MEMORY, path.basename(folder));
}

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Exits on a signal, or when npm ends, because the shell of npm does not forward signals. */
function exitWhenEnded(): void {
  for (const [signal, exitCode] of Object.entries(SIGNALS)) process.on(signal, () => process.exit(exitCode));
  if (process.env.npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  const exitAlone = (): void => {
    if (process.ppid !== shell) process.exit(SIGNALS.SIGTERM);
  };
  setInterval(exitAlone, PARENT_POLL_MS).unref();
}

async function sweepRuns(): Promise<void> {
  const names = await readdir(tmpdir());
  for (const folder of names.filter((name) => name.startsWith(PREFIX)).map((name) => path.join(tmpdir(), name))) {
    if (await hasNoOwner(folder)) endRun(folder);
  }
}

/** Returns true only if the owner certainly has ended. The folder may belong to another user. */
async function hasNoOwner(folder: string): Promise<boolean> {
  const socket = connect(path.join(folder, OWNER));
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && (error.code === 'ECONNREFUSED' || error.code === 'ENOENT');
  } finally {
    socket.destroy();
  }
}

/** Ends all processes of a run and deletes its folder. Synchronous, because it runs in an `exit` listener. */
function endRun(folder: string): void {
  const startedAt = Date.now();
  for (let left = listProcesses(folder); left.length > 0; left = listProcesses(folder)) {
    const tookMs = Date.now() - startedAt;
    if (tookMs > END_MS_MAX) break;
    // PostgreSQL would leak its shared memory if it were killed by SIGKILL.
    for (const { id, isServer } of left) kill(id, isServer && tookMs < QUIT_MS_MAX ? 'SIGQUIT' : 'SIGKILL');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  }
  for (const each of [inMemoryOf(folder), folder]) rmSync(each, { recursive: true, force: true, maxRetries: 5 });
}

interface RunProcess {
  readonly id: number;
  readonly isServer: boolean;
}

/** Works on Linux only. Elsewhere, PostgreSQL stops within a minute after the deletion of its folder. */
function listProcesses(folder: string): RunProcess[] {
  if (process.platform !== 'linux') return [];
  const ids = readdirSync('/proc')
    .map(Number)
    .filter((id) => id > 0 && id !== process.pid);
  return ids
    .filter((id) => belongsTo(folder, id))
    .map((id) => ({ id, isServer: read(id, 'comm').startsWith('postgres') }));
}

function belongsTo(folder: string, id: number): boolean {
  const value = read(id, 'environ')
    .split('\0')
    .find((variable) => variable.startsWith('TMPDIR='));
  return value !== undefined && `${value}/`.startsWith(`TMPDIR=${folder}/`);
}

function read(id: number, file: string): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8');
  } catch {
    // The process has ended or belongs to another user.
    return '';
  }
}

function kill(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch {
    // The process has already ended.
  }
}
