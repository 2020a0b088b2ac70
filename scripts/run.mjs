// Runs a program of the project: builds it when its sources are newer than the build, then starts it in this process.
// Nothing of this is written to standard output, which belongs to the program.
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PROGRAMS = {
  start: 'standalone/start.js',
  demo: 'standalone/demo.js',
  cli: 'standalone/cli.js',
  migrate: 'standalone/migrate.js',
  simulator: 'simulator/main.js',
  api: 'src/processes/api.js',
  dispatcher: 'src/processes/dispatcher.js',
  bench: 'bench/main.js',
  crash: 'test/crash/main.js',
  chaos: 'test/chaos/main.js',
  failover: 'test/failover/main.js',
  mutants: 'test/chaos/mutants.js',
  'sandbox-mutants': 'test/sandbox-suite/mutants.js',
  update: 'test/update/main.js',
  restore: 'test/restore/main.js',
};

const SOURCES = [
  'src',
  'simulator',
  'standalone',
  'bench',
  'site',
  'test/crash',
  'test/restore',
  'test/chaos',
  'test/failover',
  'test/sandbox-suite',
  'test/support',
  'test/update',
  'ormconfig.ts',
];
const BUILD_SETTINGS = [
  'tsconfig.json',
  'tsconfig.build.json',
  'nest-cli.json',
  'package.json',
  'scripts/transpile.mjs',
];
// The programs that serve the dashboard.
const DASHBOARD_PROGRAMS = ['start', 'demo', 'api'];

// A build takes seconds; a holder of the lock for this long has forgotten it.
const LOCK_MS_MAX = 120_000;
const LOCK_POLL_MS = 100;

const STOPPED_EXIT_CODE = 130;
const NOT_WRITABLE = ['EROFS', 'EACCES', 'EPERM'];

const repository = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(repository, 'dist');
const lock = path.join(dist, '.building');

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stopBeforeStart);
assertNodeVersion();
const [program, ...parameters] = process.argv.slice(2);
const file = Object.hasOwn(PROGRAMS, program ?? '') ? path.join(dist, PROGRAMS[program]) : null;
if (file === null) {
  fail(`Usage: node scripts/run.mjs ${Object.keys(PROGRAMS).join('|')} [options]`);
} else {
  buildWhenStale({
    what: 'the programs',
    sources: [...SOURCES, ...BUILD_SETTINGS],
    stamp: path.join(dist, '.built'),
    result: file,
    needs: 'node_modules/vite',
    command: ['scripts/transpile.mjs'],
  });
  if (DASHBOARD_PROGRAMS.includes(program)) {
    buildWhenStale({
      what: 'the dashboard',
      sources: ['dashboard', 'package.json'],
      stamp: path.join(dist, '.built-dashboard'),
      result: path.join(dist, 'dashboard/index.html'),
      needs: 'node_modules/vite',
      command: ['node_modules/vite/bin/vite.js', 'build', 'dashboard', '--logLevel', 'warn'],
    });
    buildWhenStale({
      what: 'the docs site',
      sources: [
        'site',
        'src/errors',
        'src/documents/code-lists',
        'docs',
        'clients/typescript',
        'CHANGELOG.md',
        'openapi.json',
        'package.json',
      ],
      stamp: path.join(dist, '.built-docs'),
      result: path.join(dist, 'docs/index.html'),
      needs: 'node_modules/markdown-it',
      command: ['dist/site/main.js'],
    });
  }
  process.argv = [process.argv[0], file, ...parameters];
  await import(pathToFileURL(file).href);
}

function buildWhenStale(target) {
  if (isFresh(target)) return;
  if (!existsSync(path.join(repository, target.needs))) {
    // A deployment without development dependencies runs what was built for it.
    if (existsSync(target.result)) return;
    fail(`There is no build of ${target.what}, and nothing to build with: run "npm ci" first`);
  }
  try {
    if (!underLock(() => isFresh(target) || build(target))) fail('The build failed, see above');
  } catch (error) {
    if (!NOT_WRITABLE.includes(error.code)) throw error;
    const reason = `${dist} cannot be written (${error.code})`;
    if (!existsSync(target.result)) {
      fail(`${reason}, and there is no build of ${target.what} in it: make it writable, or run "npm run build" before`);
    }
    process.stderr.write(`${reason}: ${target.what} run as they were built\n`);
  }
}

function build({ what, stamp, command: [tool, ...options] }) {
  process.stderr.write(`Building ${what} …\n`);
  // Taken before, so that a source saved during the build makes the next run build again.
  const begunAt = new Date();
  const { status, signal } = spawnSync(process.execPath, [path.join(repository, tool), ...options], {
    cwd: repository,
    stdio: ['ignore', 2, 2],
  });
  if (signal !== null) {
    rmSync(lock, { force: true });
    fail('Stopped during the build; the next start builds again', STOPPED_EXIT_CODE);
  }
  if (status !== 0) return false;
  closeSync(openSync(stamp, 'w'));
  utimesSync(stamp, begunAt, begunAt);
  return true;
}

function isFresh({ sources, stamp, result }) {
  const builtAt = timeOf(stamp);
  if (builtAt === 0 || !existsSync(result)) return false;
  return sources.every((source) => latestIn(path.join(repository, source)) < builtAt);
}

// A folder's own time counts too: it changes when a file in it is added, renamed or deleted.
function latestIn(source) {
  const own = timeOf(source);
  if (own === 0 || !statSync(source).isDirectory()) return own;
  return readdirSync(source)
    .filter((name) => !name.endsWith('.spec.ts'))
    .reduce((latest, name) => Math.max(latest, latestIn(path.join(source, name))), own);
}

function timeOf(source) {
  return statSync(source, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Two programs started at the same time must not import files that the other's build is just writing. */
function underLock(work) {
  mkdirSync(dist, { recursive: true });
  while (!tryLock()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS);
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function tryLock() {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (!isHeld()) rmSync(lock, { force: true });
    return false;
  }
}

/** Whether who wrote the lock is there still: a build that was killed must not make the next one wait. */
function isHeld() {
  if (Date.now() - timeOf(lock) > LOCK_MS_MAX) return false;
  try {
    const holder = Number(readFileSync(lock, 'utf8'));
    // Just made, and not written yet.
    return holder === 0 || (process.kill(holder, 0) && !isZombie(holder));
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** A killed process keeps its number until its parent asks for its end, which some first processes of containers never do. */
function isZombie(processId) {
  try {
    return readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ').at(-1).startsWith('Z');
  } catch {
    return false;
  }
}

function assertNodeVersion() {
  const { engines } = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8'));
  const [major, minor] = numbersOf(engines.node);
  const [ourMajor, ourMinor] = numbersOf(process.version);
  if (ourMajor > major || (ourMajor === major && ourMinor >= minor)) return;
  fail(`Node ${process.version} is too old: Node ${major}.${minor} or newer is needed`);
}

function numbersOf(version) {
  return version.match(/\d+/g).map(Number);
}

/** Until the program listens to signals itself; it then decides alone. */
function stopBeforeStart(signal) {
  if (process.listenerCount(signal) > 1) return;
  fail('Stopped before it had started', STOPPED_EXIT_CODE);
}

function fail(message, exitCode = 1) {
  process.stderr.write(`${message}\n`);
  process.exit(exitCode);
}
