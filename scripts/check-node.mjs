// Builds the service and runs the project "node" of vitest.config.ts under each supported major version of Node
// (`npm run check -- node [MAJOR …]`). npm installs the versions.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

const MAJORS = ['20', '22', '24', '26'];
const COMMANDS = [
  ['node_modules/@nestjs/cli/bin/nest.js', 'build'],
  ['node_modules/vitest/vitest.mjs', 'run', '--project', 'node'],
];
const repository = path.dirname(import.meta.dirname);
const cache = path.join(repository, 'node_modules/.cache/node-versions');
const npmPackage = `node-${process.platform}-${process.arch}`;

const majors = process.argv.length > 2 ? process.argv.slice(2) : MAJORS;
const failed = majors.filter((major) => !passes(major, installNode(major)));
if (failed.length > 0) {
  console.error(`The build or the tests failed under Node ${failed.join(', ')}`);
  process.exitCode = 1;
}

/** Installs a major version of Node. Returns the path of its executable. */
function installNode(major) {
  const folder = path.join(cache, major);
  const program = path.join(folder, 'node_modules', npmPackage, 'bin/node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  if (!run('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, `${npmPackage}@${major}`])) {
    throw new Error(`npm could not install ${npmPackage}@${major}`);
  }
  return program;
}

function passes(major, program) {
  console.log(`\nNode ${major}: ${spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout}`);
  return COMMANDS.every((command) => run(program, command));
}

function run(program, options) {
  return spawnSync(program, options, { cwd: repository, stdio: 'inherit' }).status === 0;
}
