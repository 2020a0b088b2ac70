// Finds a Chromium for the browser tests, and installs Debian's where there is none. Prints its path.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const INSTALL = ['apt-get update -qq', 'apt-get install -y -qq --no-install-recommends chromium'];

/** The path of a Chromium: CHROMIUM when it is set, else the first on the PATH, else Debian's, installed now. */
export function findChromium() {
  const found = process.env.CHROMIUM ?? onPath();
  if (found !== undefined) return found;
  const asRoot = process.getuid?.() === 0 ? '' : 'sudo -n ';
  for (const command of INSTALL) {
    process.stderr.write(`No Chromium here: ${asRoot}${command}\n`);
    spawnSync('sh', ['-c', `${asRoot}env DEBIAN_FRONTEND=noninteractive ${command}`], { stdio: ['ignore', 2, 2] });
  }
  const installed = onPath();
  if (installed === undefined) {
    throw new Error('The browser tests need Chromium: install it, or set CHROMIUM to the path of one');
  }
  return installed;
}

function onPath() {
  const files = (process.env.PATH ?? '').split(path.delimiter).flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
  return files.find(isExecutable);
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.stdout.write(`${findChromium()}\n`);
