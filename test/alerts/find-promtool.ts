import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const UPDATE = ['apt-get', 'update', '-qq'];

/**
 * The path of a promtool: PROMTOOL when it is set, else the one on the PATH, else that of Debian's package, unpacked into
 * a temporary folder: installed, the package would start a Prometheus.
 * @throws Error when there is none and none can be had
 */
export function findPromtool(): string {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const found = process.env.PROMTOOL ?? folders.map((folder) => path.join(folder, 'promtool')).find(existsSync);
  return found ?? unpackPackage();
}

function unpackPackage(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'promtool-'));
  if (!download(folder)) {
    run(process.getuid?.() === 0 ? UPDATE : ['sudo', '-n', ...UPDATE], folder);
    download(folder);
  }
  const file = readdirSync(folder).find((name) => name.endsWith('.deb'));
  if (file !== undefined && run(['dpkg', '-x', file, '.'], folder)) return path.join(folder, 'usr/bin/promtool');
  throw new Error('The alerts need promtool: install it, or set PROMTOOL to the path of one');
}

function download(folder: string): boolean {
  process.stderr.write('No promtool here: apt-get download prometheus\n');
  return run(['apt-get', 'download', '-qq', 'prometheus'], folder);
}

function run([command, ...words]: readonly string[], cwd: string): boolean {
  return spawnSync(command, words, { cwd, stdio: ['ignore', 2, 2] }).status === 0;
}
