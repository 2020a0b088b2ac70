import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildSite } from './build-site.js';
import { findRepository } from './sources.js';

/** The package of the client, which `packClient` puts there. */
const KEPT = '.tgz';

/**
 * Brings dist/docs to what the sources say; the API serves it at /docs. A file that is right is not touched.
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
