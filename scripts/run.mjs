// Starts a program of the project, such as standalone/start, in this process. First rebuilds outdated parts without
// type checks. Only the program writes to standard output. Concurrent starts may build at the same time, because each
// build moves complete and identical files into dist/.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

// Programs that serve the dashboard and the docs.
const SERVERS = ['standalone/start', 'standalone/demo', 'src/processes/api'];
const SETTINGS = ['package.json', 'tsconfig.build.json', 'nest-cli.json', 'scripts'];
const SITE = ['site', 'docs', 'src/errors', 'src/documents/code-lists', 'clients/typescript/src', 'CHANGELOG.md'];

const repository = path.dirname(import.meta.dirname);
const readJson = (name) => JSON.parse(fs.readFileSync(path.join(repository, name), 'utf8'));
const [program = '', ...parameters] = process.argv.slice(2);
const [major, minor] = readJson('package.json').engines.node.match(/\d+/g).map(Number);
const [ourMajor, ourMinor] = process.version.match(/\d+/g).map(Number);
if (ourMajor < major || (ourMajor === major && ourMinor < minor)) {
  fail(`Node ${process.version} is too old: Node ${major}.${minor} or newer is needed`);
}
if (!fs.existsSync(path.join(repository, `${program}.ts`))) {
  fail('Usage: node scripts/run.mjs PROGRAM [options], with a program such as standalone/start');
}
const file = path.join(repository, `dist/${program}.js`);
const sources = [...readJson('tsconfig.build.json').include, 'test/support', ...SETTINGS];
build('programs', { sources, result: file, script: 'scripts/transpile.mjs' });
// Exits if the limit of open files is too low to load a program.
await import(pathToFileURL(path.join(repository, 'dist/src/processes/open-files.js')).href);
if (SERVERS.includes(program)) {
  const dashboard = { sources: ['dashboard', ...SETTINGS], script: 'scripts/build-dashboard.mjs' };
  build('dashboard', { ...dashboard, result: path.join(repository, 'dist/dashboard/index.html') });
  const site = { sources: [...SITE, 'openapi.json', ...SETTINGS], script: 'dist/site/main.js' };
  build('docs site', { ...site, result: path.join(repository, 'dist/docs/index.html') });
}
process.argv = [process.argv[0], file, ...parameters];
await import(pathToFileURL(file).href);

function build(what, { sources, result, script }) {
  const dist = path.join(repository, 'dist');
  const stamp = path.join(dist, `.built-${what.replace(' ', '-')}`);
  const isBuilt = fs.existsSync(result);
  if (isBuilt && fs.existsSync(stamp) && findLatest(sources) < fs.statSync(stamp).mtimeMs) return;
  try {
    fs.mkdirSync(dist, { recursive: true });
    fs.accessSync(dist, fs.constants.W_OK);
  } catch ({ code }) {
    if (!isBuilt) fail(`${dist} cannot be written (${code}), and there is no build of the ${what} in it`);
    return console.error(`${dist} cannot be written (${code}): the ${what} run as they were built`);
  }
  // A deployment without development tools runs its existing build.
  if (!fs.existsSync(path.join(repository, 'node_modules/vite'))) return isBuilt || fail('Run "npm ci" first');
  console.error(`Building the ${what} …`);
  // If a source is saved during the build, the next start builds again.
  const begunAt = new Date();
  const { status } = spawnSync(process.execPath, [path.join(repository, script)], { stdio: ['ignore', 2, 2] });
  if (status !== 0) fail(`The build of the ${what} failed or was stopped; the next start builds again`);
  fs.writeFileSync(stamp, '');
  fs.utimesSync(stamp, begunAt, begunAt);
}

/** Includes the time of the folder, which changes when a file in it is added, renamed or deleted. */
function findLatest(sources) {
  const listFiles = (source) => (fs.statSync(source).isDirectory() ? fs.readdirSync(source, { recursive: true }) : []);
  const all = sources.map((name) => path.join(repository, name));
  const files = all.flatMap((source) => [source, ...listFiles(source).map((name) => path.join(source, name))]);
  return Math.max(
    ...files
      .filter((name) => !name.endsWith('.spec.ts'))
      .map((name) => fs.statSync(name, { throwIfNoEntry: false })?.mtimeMs ?? 0),
  );
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
