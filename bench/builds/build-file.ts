import { existsSync } from 'node:fs';
import path from 'node:path';

/** Programs by their path in a build, and where builds before `src/processes/` have them. */
const EARLIER_FILES: Readonly<Record<string, string>> = {
  'src/processes/api.js': 'src/main.js',
  'src/processes/dispatcher.js': 'src/dispatcher.js',
  'src/processes/migrate.js': 'src/migrate.js',
};

/** A compiled file of a build, which may be an earlier one: `file` is its path in this build. */
export function buildFile(dist: string, file: string): string {
  const current = path.join(dist, file);
  const earlier = EARLIER_FILES[file];
  return earlier === undefined || existsSync(current) ? current : path.join(dist, earlier);
}
