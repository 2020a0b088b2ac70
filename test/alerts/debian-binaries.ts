import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findProgram, installPackages } from '../support/debian-programs.js';

const UPDATE = ['apt-get', 'update', '-qq'];
let unpacked: string | null = null;

/**
 * The path of a promtool or a Prometheus: PROMTOOL or PROMETHEUS when it is set, else the one on the PATH, else that of
 * Debian's package, unpacked into a temporary folder: installed, the package would start a Prometheus.
 * @throws Error when there is none and none can be had
 */
export function findPrometheus(name: 'promtool' | 'prometheus'): string {
  const found = process.env[name.toUpperCase()] ?? findProgram(name);
  if (found !== undefined) return found;
  unpacked ??= unpackPackage();
  return path.join(unpacked, 'usr/bin', name);
}

/**
 * The path of a program on the PATH, if need be after its package is installed.
 * @throws Error when it cannot be installed
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
