import { constants } from 'node:fs';
import { cp, lchown, lstat, open, readdir, rename, rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DataFolder } from './data-folder.js';
import { FolderInUseError } from './embedded-postgres.js';

// PostgreSQL's own lock on its folder: no server starts there as long as the process exists that it names.
const LOCK_FILE = 'postmaster.pid';
const UNFINISHED = '.unfinished';
const NO_SPACE: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
const MEGABYTE = 1_000_000;

/**
 * Copies the whole folder next to itself while its server is stopped. The copy has its name only once it is whole and
 * on the disk.
 * @param schema the last migration that the data have, for the name
 * @returns the copy's path
 * @throws FolderInUseError when a server has started meanwhile
 * @throws Error when there is no room for it; nothing is left of it then
 */
export async function copyStopped(folder: DataFolder, schema: string): Promise<string> {
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const copy = `${folder.path}-copy-${time}-${schema}`;
  const unfinished = `${copy}${UNFINISHED}`;
  const lock = path.join(folder.postgres, LOCK_FILE);
  await writeFile(lock, `${process.pid}\n`, { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    throw getErrorCode(error) === 'EEXIST' ? new FolderInUseError(folder.postgres) : error;
  });
  try {
    await removeUnfinished(folder.path);
    await assertRoom(folder.path);
    await cp(folder.path, unfinished, {
      recursive: true,
      preserveTimestamps: true,
      verbatimSymlinks: true,
      // Where the file system can, the copy shares its blocks with the original.
      mode: constants.COPYFILE_FICLONE,
      filter: (file) => file !== lock,
    });
    await finish(folder.path, unfinished);
    await rename(unfinished, copy);
    return copy;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw NO_SPACE.has(getErrorCode(error)) ? noRoom(folder.path, error) : error;
  } finally {
    await rm(lock, { force: true });
  }
}

/** What a killed start left of its copy. */
async function removeUnfinished(folder: string): Promise<void> {
  const parent = path.dirname(folder);
  const isLeft = (name: string): boolean =>
    name.startsWith(`${path.basename(folder)}-copy-`) && name.endsWith(UNFINISHED);
  for (const name of (await readdir(parent)).filter(isLeft)) {
    await rm(path.join(parent, name), { recursive: true, force: true });
  }
}

/** Before the disk is full, which would harm others. */
async function assertRoom(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(path.dirname(folder));
  let needed = 0;
  for (const file of await filesIn(folder)) needed += (await lstat(file)).size;
  if (needed > bavail * bsize) throw noRoom(folder, null, needed);
}

function noRoom(folder: string, cause: unknown, needed?: number): Error {
  const size = needed === undefined ? '' : ` (${Math.ceil(needed / MEGABYTE)} MB)`;
  return new Error(
    `The data in ${folder} are of an earlier version and are copied before they are migrated, and there is no room for the ` +
      `copy${size} in ${path.dirname(folder)}: free some, and start again. Nothing was changed.`,
    { cause },
  );
}

/** Everything is on the disk, and belongs to whom it belonged to. */
async function finish(from: string, to: string): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  for (const file of [to, ...(await filesIn(to))]) {
    const { uid, gid } = await lstat(path.join(from, path.relative(to, file)));
    if (isRoot) await lchown(file, uid, gid);
    const handle = await open(file, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

async function filesIn(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).map((name) => path.join(folder, name));
}

function getErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
