import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildSite } from './build-site.js';
import { findRepository } from './sources.js';

/** Package of the TypeScript client, which site/main.ts adds. */
const KEPT = '.tgz';

/**
 * Writes the site to dist/docs, which the API serves at /docs. Does not touch unchanged files.
 * @returns the folder
 */
export function writeSite(): string {
  const target = path.join(findRepository(), 'dist', 'docs');
  const site = buildSite();
  for (const [file, content] of site) {
    const output = path.join(target, file);
    if (existsSync(output) && readFileSync(output, 'utf8') === content) continue;
    mkdirSync(path.dirname(output), { recursive: true });
    writeFileSync(output, content);
  }
  const names = readdirSync(target, { recursive: true, encoding: 'utf8' }).filter((name) => path.extname(name) !== '');
  for (const name of names) {
    if (path.extname(name) === KEPT || site.has(name.split(path.sep).join('/'))) continue;
    rmSync(path.join(target, name));
  }
  return target;
}
