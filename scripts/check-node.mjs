// Runs the project "node" of vitest.config.ts under each supported major version of Node, which npm installs.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

const MAJORS = ['20', '22', '24', '26'];
const repository = path.dirname(import.meta.dirname);
const cache = path.join(repository, 'node_modules/.cache/node-versions');
const npmPackage = `node-${process.platform}-${process.arch}`;

const failed = MAJORS.filter((major) => !passes(major, installNode(major)));
if (failed.length > 0) {
  console.error(`The tests failed under Node ${failed.join(', ')}`);
  process.exitCode = 1;
}

/** Returns the path of the program. */
function installNode(major) {
  const folder = path.join(cache, major);
  const program = path.join(folder, 'node_modules', npmPackage, 'bin/node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  run('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, `${npmPackage}@${major}`]);
  return program;
}

function passes(major, program) {
  console.log(`\nNode ${major}: ${spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout}`);
  const vitest = path.join(repository, 'node_modules/vitest/vitest.mjs');
  const options = ['run', '--project', 'node', ...process.argv.slice(2)];
  return spawnSync(program, [vitest, ...options], { cwd: repository, stdio: 'inherit' }).status === 0;
}

function run(command, options) {
  const { status } = spawnSync(command, options, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${options.join(' ')} failed`);
}
