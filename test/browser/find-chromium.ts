import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const INSTALL = ['apt-get update -qq', 'apt-get install -y -qq --no-install-recommends chromium'];

/**
 * The path of a Chromium: CHROMIUM when it is set, else the first on the PATH, else Debian's, installed now.
 * @throws Error when there is none and none can be installed
 */
export function findChromium(): string {
  const found = process.env.CHROMIUM ?? onPath();
  if (found !== undefined) return found;
  const prefix = process.getuid?.() === 0 ? '' : 'sudo -n ';
  for (const command of INSTALL) {
    process.stderr.write(`No Chromium here: ${prefix}${command}\n`);
    spawnSync('sh', ['-c', `${prefix}env DEBIAN_FRONTEND=noninteractive ${command}`], { stdio: ['ignore', 2, 2] });
  }
  const installed = onPath();
  if (installed !== undefined) return installed;
  throw new Error('The browser tests need Chromium: install it, or set CHROMIUM to the path of one');
}

function onPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
