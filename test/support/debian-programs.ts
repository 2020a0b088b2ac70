import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** Returns the path of the first of these programs on the PATH. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin'];
  return folders.flatMap((folder) => names.map((name) => path.join(folder, name))).find(isExecutable);
}

/** Installs Debian packages. Failures are ignored: the caller must check that the programs exist. */
export function installPackages(...packages: readonly string[]): void {
  const prefix = process.getuid?.() === 0 ? '' : 'sudo -n ';
  for (const command of ['update -qq', `install -y -qq --no-install-recommends ${packages.join(' ')}`]) {
    process.stderr.write(`Not here: ${packages.join(', ')}: ${prefix}apt-get ${command}\n`);
    spawnSync('sh', ['-c', `${prefix}env DEBIAN_FRONTEND=noninteractive apt-get ${command}`], {
      stdio: ['ignore', 2, 2],
    });
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
