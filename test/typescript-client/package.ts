import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '../support/program.js';

export const PACKAGE_FOLDER = path.join(REPOSITORY, 'clients/typescript');
export const TSC = path.join(REPOSITORY, 'node_modules/typescript/bin/tsc');

export const run = promisify(execFile);

/** Builds the client into a folder, as `npm pack` does. Returns the file to import. */
export async function buildClient(folder: string): Promise<string> {
  await run(process.execPath, [TSC, '-p', PACKAGE_FOLDER, '--outDir', folder]);
  return path.join(folder, 'index.js');
}
