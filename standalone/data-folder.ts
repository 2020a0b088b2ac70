import { randomBytes } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, chmod, link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const DATA_DIR_DEFAULT = '.data';
const SERVICE_LOG = 'service.log';
const LOG_BYTES_MAX = 50_000_000;

/** Passwords of the embedded database and the key that encrypts stored secrets. Each folder has its own. */
export interface Secrets {
  readonly superuserPassword: string;
  readonly ownerPassword: string;
  readonly appPassword: string;
  readonly dispatcherPassword: string;
  readonly operatorPassword: string;
  readonly secretsKey: string;
}

/** Folder (DATA_DIR) with all data of a service on one machine. */
export interface DataFolder {
  readonly path: string;
  readonly secrets: Secrets;
  readonly postgres: string;
  /** JSON log of API and dispatcher. */
  readonly serviceLog: string;
  readonly demoFile: string;
  readonly simulator: string;
}

/**
 * Opens the folder. On first use, creates it with new secrets.
 * @throws Error if the folder is not writable, or contains a database without its secrets
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

// Resolves relative to the repository, so that the working directory of a command does not matter.
function findFolder(environment: NodeJS.ProcessEnv): string {
  return path.resolve(repositoryFolder(), environment.DATA_DIR?.trim() || DATA_DIR_DEFAULT);
}

/** Rotates a large log. At most two files exist, and only their owner can read them. */
export async function prepareLog(file: string): Promise<void> {
  const earlier = `${file}.1`;
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size > LOG_BYTES_MAX) await rename(file, earlier);
  for (const log of [file, earlier].filter((each) => existsSync(each))) await chmod(log, 0o600);
}

/** Atomically creates a file that only its owner can read, unless the file exists. */
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
      throw new Error(`${file} is missing, and ${cluster} cannot be opened without it: restore it, or move both away`);
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

// The repository is two folders up from compiled code and one folder up from source code.
function repositoryFolder(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  return folder;
}
