// Creates dist/simulator-package/ for `npm run pack:simulator`: the simulator as JavaScript without dependencies, the
// OpenAPI document of its control calls, and docs/simulator.md as README. Like transpile.mjs, it does not check types.
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformWithOxc } from 'vite';

const repository = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const sources = path.join(repository, 'simulator');
const target = path.join(repository, 'dist/simulator-package');
const MAIN = 'main.js';
const OF_TESTS = /\.spec\.ts$|^testing\//;
const ASSETS = /^code-lists\/[^/]+\.json$|^openapi\.json$|^[^/]+\.html$/;

rmSync(target, { recursive: true, force: true });
const files = readdirSync(sources, { recursive: true }).map((name) => name.replaceAll(path.sep, '/'));
await Promise.all(files.filter((file) => file.endsWith('.ts') && !OF_TESTS.test(file)).map(transpile));
for (const file of files.filter((name) => ASSETS.test(name))) {
  copyFileSync(path.join(sources, file), makePathInTarget(file));
}
writeInTarget('README.md', withoutLinks(readFileSync(path.join(repository, 'docs/simulator.md'), 'utf8')));
const { version, license, engines } = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8'));
writeJson('package.json', {
  name: 'einvoice-simulator',
  version,
  description: "Stands in for the API of MyInvois, the e-invoice service of Malaysia's tax authority.",
  license,
  // The package is distributed as a file and never published.
  private: true,
  type: 'module',
  bin: MAIN,
  engines,
});

async function transpile(source) {
  const file = path.join(sources, source);
  const { code } = await transformWithOxc(readFileSync(file, 'utf8'), file, { helpers: { mode: 'External' } });
  if (code.includes('babelHelpers.')) throw new Error(`${source} needs helpers that the package does not have`);
  writeInTarget(source.replace(/\.ts$/, '.js'), code);
}

/** Removes links to other pages, which are missing from the package. */
function withoutLinks(markdown) {
  return markdown.replaceAll(/ \(\[[^\]]+\]\((?!#)[^)]+\)\)/g, '').replaceAll(/\[([^\]]+)\]\((?!#)[^)]+\)/g, '$1');
}

function writeJson(file, value) {
  writeInTarget(file, `${JSON.stringify(value, null, 2)}\n`);
}

function writeInTarget(file, text) {
  writeFileSync(makePathInTarget(file), text);
}

function makePathInTarget(file) {
  const copy = path.join(target, file);
  mkdirSync(path.dirname(copy), { recursive: true });
  return copy;
}
