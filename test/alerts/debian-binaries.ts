import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findProgram, installPackages } from '../support/debian-programs.js';

const UPDATE = ['apt-get', 'update', '-qq'];
let unpacked: string | null = null;

/**
 * Finds promtool or Prometheus by the environment variable PROMTOOL or PROMETHEUS, then on the PATH. Otherwise unpacks
 * Debian's package into a temporary folder, because installing it would start Prometheus.
 * @throws Error if the program is not available
 */
export function findPrometheus(name: 'promtool' | 'prometheus'): string {
  const found = process.env[name.toUpperCase()] ?? findProgram(name);
  if (found !== undefined) return found;
  unpacked ??= unpackPackage();
  return path.join(unpacked, 'usr/bin', name);
}

/**
 * Finds a program on the PATH and installs its package if it is missing.
 * @throws Error if the package cannot be installed
 */
export function findInstalled(program: string, packageName = program): string {
  if (findProgram(program) === undefined) installPackages(packageName);
  const found = findProgram(program);
  if (found === undefined) throw new Error(`The alerts need ${program}: install it`);
  return found;
}

function unpackPackage(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'prometheus-'));
  if (!download(folder)) {
    run(process.getuid?.() === 0 ? UPDATE : ['sudo', '-n', ...UPDATE], folder);
    download(folder);
  }
  const file = readdirSync(folder).find((name) => name.endsWith('.deb'));
  if (file !== undefined && run(['dpkg', '-x', file, '.'], folder)) return folder;
  throw new Error(
    'The alerts need Prometheus and promtool: install them, or set PROMETHEUS and PROMTOOL to their paths',
  );
}

function download(folder: string): boolean {
  process.stderr.write('No Prometheus here: apt-get download prometheus\n');
  return run(['apt-get', 'download', '-qq', 'prometheus'], folder);
}

function run([command, ...words]: readonly string[], cwd: string): boolean {
  return spawnSync(command, words, { cwd, stdio: ['ignore', 2, 2] }).status === 0;
}
