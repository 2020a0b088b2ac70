import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installPackages } from './debian-programs.js';

const CLUSTER_SETTINGS = '/etc/postgresql-common/createcluster.conf';
const POLICY = '/usr/sbin/policy-rc.d';

/**
 * Installs what is missing of Debian's programs, without a server or cluster that Debian would start by itself.
 * @param wanted packages by a file of theirs
 * @throws Error naming those that cannot be installed here
 */
export function installServers(wanted: Readonly<Record<string, string>>): void {
  const missing = Object.keys(wanted).filter((file) => !existsSync(file));
  if (missing.length === 0) return;
  if (process.getuid?.() === 0) forbidServers();
  installPackages(...missing.map((file) => wanted[file]));
  const left = missing.filter((file) => !existsSync(file)).map((file) => wanted[file]);
  if (left.length > 0) throw new Error(`Install the Debian packages ${left.join(', ')}`);
}

// Where an operator has decided otherwise, that is left as it is.
function forbidServers(): void {
  if (!existsSync(CLUSTER_SETTINGS)) {
    mkdirSync(path.dirname(CLUSTER_SETTINGS), { recursive: true });
    writeFileSync(CLUSTER_SETTINGS, 'create_main_cluster = false\n');
  }
  if (!existsSync(POLICY)) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
}
