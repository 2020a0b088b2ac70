import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns the folder of the project, both for compiled code and for its source. */
export function findRepository(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  return folder;
}

export function readSource(file: string): string {
  return readFileSync(path.join(findRepository(), file), 'utf8');
}
