import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('functions/', import.meta.url);
const SQL = '.sql';

/** A SQL function with the statements that create it and set its rights. */
export interface FunctionFile {
  readonly name: string;
  readonly text: string;
}

/** Reads src/database/functions/, in alphabetical order. */
export function readFunctionFiles(): FunctionFile[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(SQL));
  return files.toSorted().map((file) => ({
    name: file.slice(0, -SQL.length),
    text: readFileSync(new URL(file, FOLDER), 'utf8'),
  }));
}
