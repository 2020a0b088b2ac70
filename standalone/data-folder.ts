import { randomBytes } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, chmod, link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const DATA_DIR_DEFAULT = '.data';
const SERVICE_LOG = 'service.log';
const LOG_BYTES_MAX = 50_000_000;

/** Passwords of the embedded database and the key of what it stores encrypted: made once, kept with the data. */
export interface Secrets {
  readonly superuserPassword: string;
  readonly ownerPassword: string;
  readonly appPassword: string;
  readonly dispatcherPassword: string;
  readonly operatorPassword: string;
  readonly secretsKey: string;
}

/** The folder (DATA_DIR) of everything that one machine's service keeps. */
export interface DataFolder {
  readonly path: string;
  readonly secrets: Secrets;
  /** Cluster of the embedded PostgreSQL. */
  readonly postgres: string;
  /** JSON log lines of API and dispatcher. */
  readonly serviceLog: string;
  readonly demoFile: string;
  /** What the simulator remembers. */
  readonly simulator: string;
}

/**
 * Opens the folder, and makes it with new secrets at the first use.
 * @throws Error when it cannot be written, or holds a database whose secrets are gone
 */
export async function openDataFolder(environment: NodeJS.ProcessEnv): Promise<DataFolder> {
  const folder = findFolder(environment);
  await mkdir(folder, { recursive: true, mode: 0o700 })
    .then(() => access(folder, constants.W_OK))
    .catch((error: unknown) => {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      throw new Error(
        `The data cannot be kept in ${folder} (${reason}): set DATA_DIR to a folder that you may write to`,
        {
          cause: error,
        },
      );
    });
  const postgres = path.join(folder, 'postgres');
  const serviceLog = path.join(folder, SERVICE_LOG);
  return {
    path: folder,
    secrets: await readSecrets(path.join(folder, 'secrets.json'), postgres),
    postgres,
    serviceLog,
    demoFile: path.join(folder, 'demo.json'),
    simulator: path.join(folder, 'simulator'),
  };
}

// Relative to the repository, so that every folder a command is started from means the same data.
function findFolder(environment: NodeJS.ProcessEnv): string {
  return path.resolve(repositoryFolder(), environment.DATA_DIR?.trim() || DATA_DIR_DEFAULT);
}

/**
 * Moves a log that has grown large aside, so that the folder holds two of them at most, and makes both the owner's.
 */
export async function prepareLog(file: string): Promise<void> {
  const earlier = `${file}.1`;
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size > LOG_BYTES_MAX) await rename(file, earlier);
  for (const log of [file, earlier].filter((each) => existsSync(each))) await chmod(log, 0o600);
}

/** Writes a file that only its owner can read, whole or not at all, unless it is there already. */
export async function writeOnce(file: string, content: object): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  try {
    await link(draft, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    await rm(draft);
  }
}

async function readSecrets(file: string, cluster: string): Promise<Secrets> {
  if (!existsSync(file)) {
    if (existsSync(cluster)) {
      throw new Error(`${file} is missing, and without it nobody can open ${cluster}: restore it, or move both away`);
    }
    await writeOnce(file, newSecrets());
  }
  return JSON.parse(await readFile(file, 'utf8')) as Secrets;
}

function newSecrets(): Secrets {
  return {
    superuserPassword: newPassword(),
    ownerPassword: newPassword(),
    appPassword: newPassword(),
    dispatcherPassword: newPassword(),
    operatorPassword: newPassword(),
    secretsKey: randomBytes(32).toString('hex'),
  };
}

function newPassword(): string {
  return randomBytes(24).toString('base64url');
}

// Two folders up when compiled, one when not.
function repositoryFolder(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  return folder;
}
