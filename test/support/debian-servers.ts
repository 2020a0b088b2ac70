import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installPackages } from './debian-programs.js';

const CLUSTER_SETTINGS = '/etc/postgresql-common/createcluster.conf';
const POLICY = '/usr/sbin/policy-rc.d';

/**
 * Installs missing Debian packages without starting their servers or creating a database cluster.
 * @param wanted package names by the path of one of their files
 * @throws Error with the packages that cannot be installed
 */
export function installServers(wanted: Readonly<Record<string, string>>): void {
  const missing = Object.keys(wanted).filter((file) => !existsSync(file));
  if (missing.length === 0) return;
  if (process.getuid?.() === 0) forbidServers();
  installPackages(...missing.map((file) => wanted[file]));
  const left = missing.filter((file) => !existsSync(file)).map((file) => wanted[file]);
  if (left.length > 0) throw new Error(`Install the Debian packages ${left.join(', ')}`);
}

// Does not replace existing settings of the machine.
function forbidServers(): void {
  if (!existsSync(CLUSTER_SETTINGS)) {
    mkdirSync(path.dirname(CLUSTER_SETTINGS), { recursive: true });
    writeFileSync(CLUSTER_SETTINGS, 'create_main_cluster = false\n');
  }
  if (!existsSync(POLICY)) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
}
