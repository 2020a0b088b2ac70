import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A bug that is put into a copy of the build, to see whether a check finds it. */
export interface Mutant {
  readonly name: string;
  readonly what: string;
  readonly patches: readonly Patch[];
  /** The check that must find it. */
  readonly check: string;
}

/** A change of the compiled text. What it replaces must stand there exactly once, whatever its line breaks. */
export interface Patch {
  /** In the build's folder. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A copy of the build with a bug in it; the sources stay as they are. */
export interface MutatedBuild {
  readonly dist: string;
  remove(): Promise<void>;
}

/** @throws Error when a patch does not apply exactly once: the code has moved on, and the bug must be seeded again */
export async function mutate(dist: string, patches: readonly Patch[]): Promise<MutatedBuild> {
  const repository = path.dirname(dist);
  const folder = await mkdtemp(path.join(tmpdir(), 'einvoice-mutant-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const copy = path.join(folder, 'dist');
    await cp(dist, copy, { recursive: true });
    await cp(path.join(repository, 'package.json'), path.join(folder, 'package.json'));
    await symlink(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'));
    for (const patch of patches) await apply(copy, patch);
    return { dist: copy, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function apply(dist: string, { file, find, replace }: Patch): Promise<void> {
  const name = path.join(dist, file);
  await writeFile(name, patched(await readFile(name, 'utf8'), { file, find, replace }));
}

/** @throws Error when the text to replace does not occur exactly once */
export function patched(text: string, { file, find, replace }: Patch): string {
  const pattern = buildPattern(find);
  const times = text.split(pattern).length - 1;
  if (times !== 1)
    throw new Error(`The patch of ${file} applies ${times} times instead of once; it looks for:\n${find}`);
  return text.replace(pattern, () => replace);
}

/** Each way of building lays out the same program in its own lines, and with its own quotation marks. */
function buildPattern(find: string): RegExp {
  const words = find.trim().split(/\s+|(?<=[([{,;])|(?=[)\]}])/);
  const escaped = words.map((word) => word.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&').replaceAll(/['"]/g, `['"]`));
  return new RegExp(escaped.join('\\s*'));
}
