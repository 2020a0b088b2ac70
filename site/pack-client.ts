import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findRepository } from './sources.js';

/** Puts the package of the TypeScript client next to the pages: a client team has no repository of the service. */
export function packClient(target: string): void {
  const repository = findRepository();
  const folder = mkdtempSync(path.join(tmpdir(), 'einvoice-client-'));
  try {
    // What packs it builds it, and must not build into the checkout that others read.
    const isSource = (file: string): boolean => path.basename(file) !== 'dist';
    cpSync(path.join(repository, 'clients/typescript'), folder, { recursive: true, filter: isSource });
    for (const old of readdirSync(target).filter((name) => name.endsWith('.tgz'))) rmSync(path.join(target, old));
    const bin = path.join(repository, 'node_modules/.bin');
    execFileSync('npm', ['pack', '--silent', '--pack-destination', target], {
      cwd: folder,
      env: { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}` },
      shell: process.platform === 'win32',
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
