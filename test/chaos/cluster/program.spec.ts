import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SupervisedProgram } from './program.js';

let directory: string;
let program: SupervisedProgram;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'einvoice-program-'));
});
afterEach(async () => {
  await program.end();
  await rm(directory, { recursive: true, force: true });
});

/** Starts a program with this source text. */
async function run(text: string): Promise<void> {
  const file = path.join(directory, 'program.cjs');
  await writeFile(file, text);
  const logFile = path.join(directory, 'log');
  program = new SupervisedProgram({ name: 'p', file, environment: {}, logFile, startedLine: 'It runs' });
  program.start();
}

async function untilLogged(line: string, times = 1): Promise<void> {
  const count = async (): Promise<number> =>
    (await readFile(path.join(directory, 'log'), 'utf8')).split('\n').filter((text) => text === line).length;
  await expect.poll(count, { interval: 20 }).toBeGreaterThanOrEqual(times);
}

const STAYS = 'setInterval(() => undefined, 1_000);';

it('restart() sends only one SIGTERM when called twice', async () => {
  await run(`let signals = 0;
    process.on('SIGTERM', () => {
      signals += 1;
      console.log('Told');
      if (signals > 1) process.exit(1);
      setTimeout(() => process.exit(0), 500);
    });
    ${STAYS}
    console.log('It runs');`);
  await untilLogged('It runs');
  const first = program.restart();
  await untilLogged('Told');
  await Promise.all([first, program.restart()]);
  expect(program.violations).toEqual([]);
});

it('violations lists an unexpected exit but no failed start', async () => {
  await run(`console.log('It begins'); process.exitCode = 1;`);
  await untilLogged('It begins', 2);
  expect(program.violations).toEqual([]);
  await program.end();
  await run(`console.log('It runs'); process.exitCode = 1;`);
  await untilLogged('It runs', 2);
  expect(program.violations[0]).toMatch(/^p ended by itself with 1 after \d+ s$/);
});

it('violations lists a failing exit after SIGTERM', async () => {
  await run(`process.on('SIGTERM', () => process.exit(3)); ${STAYS} console.log('It runs');`);
  await untilLogged('It runs');
  await program.restart();
  expect(program.violations).toEqual(['p ended with 3 after SIGTERM']);
});
