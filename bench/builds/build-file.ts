import { existsSync } from 'node:fs';
import path from 'node:path';

/** Programs by their path in a build, with their path in builds before `src/processes/` existed. */
const EARLIER_FILES: Readonly<Record<string, string>> = {
  'src/processes/api.js': 'src/main.js',
  'src/processes/dispatcher.js': 'src/dispatcher.js',
  'src/processes/migrate.js': 'src/migrate.js',
};

/** Returns the path of a compiled file in a build, which may be older. `file` is its path in the current build. */
export function buildFile(dist: string, file: string): string {
  const current = path.join(dist, file);
  const earlier = EARLIER_FILES[file];
  return earlier === undefined || existsSync(current) ? current : path.join(dist, earlier);
}
