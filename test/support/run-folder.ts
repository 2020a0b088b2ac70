import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, statfs } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

// A run of the tests has one folder for all temporary files, its databases among them, and tells its processes by it:
// TMPDIR in their environment. The user of the tests may end them in any way; nothing stays permanently.

const PREFIX = 'einvoice-run-';
const OWNER = 'owner';
// PostgreSQL that is told to end immediately needs five seconds at most.
const QUIT_MS_MAX = 8_000;
const END_MS_MAX = 15_000;
const POLL_MS = 20;
const PARENT_POLL_MS = 500;
/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm';
/** A run's databases need a twentieth of it; a container often has 64 MB. */
const MEMORY_BYTES_MIN = 4 * 1024 ** 3;

/**
 * Makes the folder of this run, in which every process that it starts from now on puts its temporary files. Processes
 * and folder end with this process, whichever way it exits; what a killed run has left is ended now.
 */
export async function claimRunFolder(): Promise<string> {
  await sweepRuns();
  const unclaimed = await mkdtemp(path.join(tmpdir(), `.${PREFIX}`));
  // The system closes a socket with its process, and no other process can be taken for the owner: unlike with its
  // number.
  const owner = createServer().listen(path.join(unclaimed, OWNER)).unref();
  await once(owner, 'listening');
  // Not to be found before it has its owner.
  const folder = path.join(path.dirname(unclaimed), path.basename(unclaimed).slice(1));
  await rename(unclaimed, folder);
  process.env.TMPDIR = folder;
  process.once('exit', () => endRun(folder));
  exitWhenEnded();
  return folder;
}

/**
 * Makes the folder for the databases of the run that has this folder, and ends with it: in memory where there is plenty
 * of it, since a new database is hundreds of small files, which cost a disk ten times as much.
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

/** By a signal, a second of which does not cut the end short; or by the end of npm, whose shell passes no signal on. */
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

/** Only what certainly has none: a folder of another user, say, is nothing to end. */
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

/** Ends every process of a run, and deletes its folder. Without a turn of the event loop, since an exit has none. */
function endRun(folder: string): void {
  const startedAt = Date.now();
  for (let left = listProcesses(folder); left.length > 0; left = listProcesses(folder)) {
    const tookMs = Date.now() - startedAt;
    if (tookMs > END_MS_MAX) break;
    // A server that is killed outright leaves its shared memory to the system.
    for (const { id, isServer } of left) kill(id, isServer && tookMs < QUIT_MS_MAX ? 'SIGQUIT' : 'SIGKILL');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  }
  for (const each of [inMemoryOf(folder), folder]) rmSync(each, { recursive: true, force: true, maxRetries: 5 });
}

interface RunProcess {
  readonly id: number;
  readonly isServer: boolean;
}

/** Where the system does not show environments, a server still ends within a minute of its folder's end, by itself. */
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
    // It has ended meanwhile, or is another user's.
    return '';
  }
}

function kill(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch {
    // It has ended meanwhile.
  }
}
