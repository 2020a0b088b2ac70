// Measures what a browser loads before the dashboard's first page shows: the document, the entry with all that it
// imports, and the page with all that it imports. Fails when that is too much for any page.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** Thousands of bytes after gzip, for the largest page. */
const FIRST_LOAD_KB_MAX = 400;

const dist = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'dist/dashboard');
const manifest = JSON.parse(readFileSync(path.join(dist, '.vite/manifest.json'), 'utf8'));

const entry = Object.keys(manifest).find((name) => manifest[name].isEntry);
// Every signed-in page stands in the layout, so it is counted with each.
const layout = Object.keys(manifest).find((name) => name.endsWith('src/shell/layout.tsx'));
const pages = Object.keys(manifest).filter((name) => name.startsWith('src/pages/') && manifest[name].isDynamicEntry);
if (entry === undefined || layout === undefined || pages.length === 0) {
  throw new Error('The manifest of the dashboard has no entry, no layout or no pages');
}

const sizes = pages.map((page) => ({ page, kb: firstLoadKb(page) })).sort((one, other) => other.kb - one.kb);
for (const { page, kb } of sizes) console.log(`${kb.toFixed(1).padStart(7)} kB  ${page}`);
const [largest] = sizes;
console.log(`First load, gzip: ${largest.kb.toFixed(1)} kB at most, of ${FIRST_LOAD_KB_MAX} kB allowed`);
if (largest.kb > FIRST_LOAD_KB_MAX) process.exitCode = 1;

function firstLoadKb(page) {
  const files = new Set(['index.html']);
  for (const name of [entry, layout, page]) collect(name, files);
  const bytes = [...files].reduce((sum, file) => sum + gzipSync(readFileSync(path.join(dist, file))).length, 0);
  return bytes / 1000;
}

function collect(name, files) {
  const { file, css = [], imports = [] } = manifest[name];
  if (files.has(file)) return;
  for (const one of [file, ...css]) files.add(one);
  for (const imported of imports) collect(imported, files);
}
