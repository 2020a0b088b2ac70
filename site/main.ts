import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findRepository } from './sources.js';
import { writeSite } from './write-site.js';

// Run by `npm run build` and scripts/run.mjs.
packClient(writeSite());

/** Adds the package of the TypeScript client to the site, because client teams have no access to the repository. */
function packClient(target: string): void {
  const repository = findRepository();
  const folder = mkdtempSync(path.join(tmpdir(), 'einvoice-client-'));
  const packed = mkdtempSync(path.join(target, '..', 'client-'));
  try {
    // Packing also builds the client. Using a copy keeps build output out of the checkout.
    const isSource = (file: string): boolean => path.basename(file) !== 'dist';
    cpSync(path.join(repository, 'clients/typescript'), folder, { recursive: true, filter: isSource });
    const bin = path.join(repository, 'node_modules/.bin');
    execFileSync('npm', ['pack', '--silent', '--pack-destination', packed], {
      cwd: folder,
      env: { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}` },
      shell: process.platform === 'win32',
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [name] = readdirSync(packed);
    // Replaces the package atomically, because a running service may be serving it.
    renameSync(path.join(packed, name), path.join(target, name));
    const others = readdirSync(target).filter((other) => other.endsWith('.tgz') && other !== name);
    for (const other of others) rmSync(path.join(target, other), { force: true });
  } finally {
    for (const used of [folder, packed]) rmSync(used, { recursive: true });
  }
}
