// Transpiles the sources into dist/ without type checks, which takes a second instead of the compiler's half minute.
// scripts/run.mjs uses it to start programs. `npm run build` and `npm run check` check the types. The tests use the
// same transformer.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformWithOxc } from 'vite';

const repository = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(repository, 'dist');
const HELPERS = 'transpile-helpers.js';

const { include } = JSON.parse(readFileSync(path.join(repository, 'tsconfig.build.json'), 'utf8'));
const { assets } = JSON.parse(readFileSync(path.join(repository, 'nest-cli.json'), 'utf8')).compilerOptions;
// test/support is listed separately. The compiler finds it through imports.
const sources = [...include, 'test/support'].flatMap((source) => filesOf(source, /(?<!\.spec)\.ts$/));

// Removes the compiler's incremental state, so that the compiler does not mistake these files for its own output.
rmSync(path.join(dist, '.tsbuildinfo'), { force: true });
copyIntoDist(path.join(import.meta.dirname, HELPERS), HELPERS);
await Promise.all(sources.map(transpile));
for (const { include: pattern } of assets) {
  for (const file of assetsOf(pattern)) copyIntoDist(path.join(repository, file), file);
}

async function transpile(source) {
  const file = path.join(repository, source);
  const { code, map } = await transformWithOxc(readFileSync(file, 'utf8'), file, {
    sourcemap: true,
    helpers: { mode: 'External' },
  });
  const target = source.replace(/\.ts$/, '.js');
  const helpers = path.posix.relative(path.posix.dirname(target), HELPERS);
  // The import is appended at the end to keep the line numbers of the source map. Imports are hoisted anyway.
  const imports = code.includes('babelHelpers.') ? `import * as babelHelpers from './${helpers}';\n` : '';
  writeInDist(target, `${code}\n${imports}//# sourceMappingURL=${path.basename(target)}.map\n`);
  writeInDist(
    `${target}.map`,
    JSON.stringify({ ...map, sources: [path.relative(path.dirname(makePathInDist(target)), file)] }),
  );
}

function filesOf(source, pattern) {
  if (source.endsWith('.ts')) return [source];
  return readdirSync(path.join(repository, source), { recursive: true })
    .map((name) => `${source}/${name.replaceAll(path.sep, '/')}`)
    .filter((name) => pattern.test(name));
}

/** Returns the files of an asset pattern in nest-cli.json: one file, or all files of a folder with one extension. */
function assetsOf(pattern) {
  const { dir, name, ext } = path.posix.parse(pattern);
  if (name !== '*') return [pattern];
  return readdirSync(path.join(repository, dir))
    .filter((file) => file.endsWith(ext))
    .map((file) => `${dir}/${file}`);
}

/** Writes a file atomically, so that a starting program never reads a partial file. */
function writeInDist(file, text) {
  const target = makePathInDist(file);
  const written = `${target}.${process.pid}`;
  writeFileSync(written, text);
  renameSync(written, target);
}

function copyIntoDist(from, file) {
  writeInDist(file, readFileSync(from));
}

function makePathInDist(file) {
  const target = path.join(dist, file);
  mkdirSync(path.dirname(target), { recursive: true });
  return target;
}
