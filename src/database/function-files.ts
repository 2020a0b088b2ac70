import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { parseJsonText } from '../common/parse-json-text.js';

/** What callers of a function rely on. */
export interface FunctionSignature {
  readonly arguments: string;
  readonly result: string;
  readonly runsAs: 'owner' | 'caller';
  /** The roles that may call it next to its owner, with commas between them. */
  readonly callers: string;
}

/** `functions/lock.json`: the functions as they stand, and a number that grows with every landed change of them. */
export interface FunctionLock {
  readonly revision: number;
  readonly functions: Readonly<Record<string, FunctionSignature & { readonly sha256: string }>>;
}

export interface FunctionFile {
  readonly name: string;
  readonly text: string;
  readonly sha256: string;
}

/** The SQL functions of one build. */
export interface FunctionSet {
  readonly revision: number;
  readonly files: readonly FunctionFile[];
  /** Executed in the same transaction, after any of them. */
  readonly afterwards?: string;
}

/** A row of `database_function`. */
export interface AppliedFunction {
  readonly name: string;
  readonly sha256: string;
  readonly revision: number;
}

export const FUNCTION_FOLDER = new URL('functions/', import.meta.url);

export const APPLIED_FUNCTIONS = 'SELECT name, sha256, revision FROM database_function';

export function buildFunctionFile(name: string, text: string): FunctionFile {
  return { name, text, sha256: createHash('sha256').update(text).digest('hex') };
}

export function readFunctionFile(name: string): FunctionFile {
  const file = new URL(`${name}.sql`, FUNCTION_FOLDER);
  if (!existsSync(file)) throw new Error(`There is no ${file.pathname}: put it back, or take ${name} out of lock.json`);
  return buildFunctionFile(name, readFileSync(file, 'utf8'));
}

/** Of this build: the files that the lock names, since a file that was deleted may still be in an earlier `dist/`. */
export const FUNCTIONS: FunctionSet = readFunctions();

function readFunctions(): FunctionSet {
  const lock = parseJsonText(readFileSync(new URL('lock.json', FUNCTION_FOLDER), 'utf8')) as FunctionLock;
  return { revision: lock.revision, files: Object.keys(lock.functions).map(readFunctionFile) };
}

/** A later build has changed them: an earlier one works with those, and does not put its own back. */
export function isLater(applied: readonly AppliedFunction[], { revision }: FunctionSet): boolean {
  return applied.some((row) => row.revision > revision);
}

/** The functions that the database has with another text than this build, or not at all. */
export function findOutdated(applied: readonly AppliedFunction[], functions: FunctionSet): FunctionFile[] {
  if (isLater(applied, functions)) return [];
  const hashes = new Map(applied.map(({ name, sha256 }) => [name, sha256]));
  return functions.files.filter(({ name, sha256 }) => hashes.get(name) !== sha256);
}
