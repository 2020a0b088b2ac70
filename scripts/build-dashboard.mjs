// Builds dist/dashboard and replaces the folder in one step, so that a starting program never reads a partial build.
import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';

const repository = path.dirname(import.meta.dirname);
const target = path.join(repository, 'dist/dashboard');
const built = `${target}-${process.pid}`;
const old = `${built}-old`;

await build({
  root: path.join(repository, 'dashboard'),
  logLevel: 'warn',
  build: { outDir: built, emptyOutDir: true },
});
try {
  renameSync(target, old);
} catch (error) {
  if (error.code !== 'ENOENT') throw error;
}
try {
  renameSync(built, target);
} catch (error) {
  // A concurrent start has already created the same build.
  if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
  rmSync(built, { recursive: true });
}
rmSync(old, { recursive: true, force: true });
