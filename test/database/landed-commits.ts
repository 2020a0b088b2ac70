import { execFileSync } from 'node:child_process';

/**
 * The commits whose locks are landed: main, and on main itself the one before. Those that a clone does not have are
 * left out.
 */
export function listLandedCommits(): string[] {
  const mains = ['main', 'origin/main'].filter((ref) => git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`));
  const isOnMain = mains.some((ref) => git('merge-base', '--is-ancestor', 'HEAD', ref) !== null);
  return isOnMain ? [...mains, 'HEAD^'] : mains;
}

/** A file as a commit has it; null when it does not have it. */
export function readLanded(commit: string, file: string): string | null {
  return git('show', `${commit}:${file}`);
}

/** What git prints, or null when it fails. */
export function git(...parameters: string[]): string | null {
  try {
    return execFileSync('git', parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}
