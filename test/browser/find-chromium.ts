import { findProgram, installPackages } from '../support/debian-programs.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * Returns the path of Chromium: the environment variable CHROMIUM, else the first one on the PATH, else Debian's
 * package, which is installed if necessary.
 * @throws Error if Chromium is missing and cannot be installed
 */
export function findChromium(): string {
  const found = process.env.CHROMIUM ?? findProgram(...NAMES);
  if (found !== undefined) return found;
  installPackages('chromium');
  const installed = findProgram(...NAMES);
  if (installed !== undefined) return installed;
  throw new Error('The browser tests need Chromium: install it, or set CHROMIUM to the path of one');
}
