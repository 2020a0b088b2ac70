import { findProgram, installPackages } from '../support/debian-programs.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * The path of a Chromium: CHROMIUM when it is set, else the first on the PATH, else Debian's, installed now.
 * @throws Error when there is none and none can be installed
 */
export function findChromium(): string {
  const found = process.env.CHROMIUM ?? findProgram(...NAMES);
  if (found !== undefined) return found;
  installPackages('chromium');
  const installed = findProgram(...NAMES);
  if (installed !== undefined) return installed;
  throw new Error('The browser tests need Chromium: install it, or set CHROMIUM to the path of one');
}
