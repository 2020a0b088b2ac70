import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Bug that is seeded into a copy of the build and that a check must detect. */
export interface Mutant {
  readonly name: string;
  readonly what: string;
  readonly patches: readonly Patch[];
  /** Name of the check that must fail. */
  readonly check: string;
}

/** Change of a compiled file. `find` must occur exactly once, apart from line breaks. */
export interface Patch {
  /** Path in the build's folder. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** Copy of the build with a bug. */
export interface MutatedBuild {
  readonly dist: string;
  remove(): Promise<void>;
}

/** @throws Error if a patch does not apply exactly once, because the code has changed */
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

/** @throws Error if `find` does not occur exactly once */
export function patched(text: string, { file, find, replace }: Patch): string {
  const pattern = buildPattern(find);
  const times = text.split(pattern).length - 1;
  if (times !== 1)
    throw new Error(`The patch of ${file} applies ${times} times instead of once; it looks for:\n${find}`);
  return text.replace(pattern, () => replace);
}

/** Ignores line breaks and the kind of quotation marks, which depend on the compiler. */
function buildPattern(find: string): RegExp {
  const words = find.trim().split(/\s+|(?<=[([{,;])|(?=[)\]}])/);
  const escaped = words.map((word) => word.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&').replaceAll(/['"]/g, `['"]`));
  return new RegExp(escaped.join('\\s*'));
}
