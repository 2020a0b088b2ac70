// Measures the download size of each dashboard page for a browser with an empty cache: the entry with its imports, the
// layout, the page and its dynamic imports. Sizes are those of the compressed files that the API sends. Fails if a page
// exceeds the limit for bytes or files.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** Limit in kilobytes. */
const RECEIVED_KB_MAX = 420;
/** A page may make 20 requests, including its API calls. */
const FILES_MAX = 13;

const dist = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'dist/dashboard');
const manifest = JSON.parse(readFileSync(path.join(dist, '.vite/manifest.json'), 'utf8'));

const entry = Object.keys(manifest).find((name) => manifest[name].isEntry);
// Counts the layout for every page, because all signed-in pages use it.
const layout = Object.keys(manifest).find((name) => name.endsWith('src/shell/layout.tsx'));
const pages = Object.keys(manifest).filter((name) => name.startsWith('src/pages/') && name.endsWith('.page.tsx'));
if (entry === undefined || layout === undefined || pages.length === 0) {
  throw new Error('The manifest of the dashboard has no entry, no layout or no pages');
}

const loads = pages.map(measure).sort((one, other) => other.gzip - one.gzip);
for (const { page, files, brotli, gzip } of loads) {
  console.log(
    `${brotli.toFixed(1).padStart(7)} kB brotli ${gzip.toFixed(1).padStart(7)} kB gzip ${files} files  ${page}`,
  );
}
// The limit applies to gzip, because browsers accept only gzip over plain HTTP to other hosts than localhost.
const kilobytes = Math.max(...loads.map(({ gzip }) => gzip));
const files = Math.max(...loads.map(({ files }) => files));
console.log(
  `A page receives at most ${kilobytes.toFixed(1)} kB of ${RECEIVED_KB_MAX}, in ${files} files of ${FILES_MAX}`,
);
if (kilobytes > RECEIVED_KB_MAX || files > FILES_MAX) process.exitCode = 1;

function measure(page) {
  const files = new Set(['icon.svg']);
  for (const name of [entry, layout, page]) collect(name, files);
  for (const name of manifest[page].dynamicImports ?? []) collect(name, files);
  // The API compresses this file in each response, because it contains a nonce.
  const html = gzipSync(readFileSync(path.join(dist, 'index.html'))).length;
  const sum = (extension) =>
    [...files].reduce((bytes, file) => bytes + readFileSync(path.join(dist, file + extension)).length, html) / 1000;
  return { page, files: files.size + 1, brotli: sum('.br'), gzip: sum('.gz') };
}

function collect(name, files) {
  const { file, css = [], imports = [] } = manifest[name];
  if (files.has(file)) return;
  for (const one of [file, ...css]) files.add(one);
  for (const imported of imports) collect(imported, files);
}
