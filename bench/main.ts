import { runProgram } from '../standalone/program.js';
import { openBuild } from './builds/build.js';
import { startServer } from './database/server.js';
import { describeNoise, type Machine, watchMachine } from './machine.js';
import { type Options, readOptions } from './options.js';
import { openParts } from './parts.js';
import { type Outcome, runParts, writeJsonFile } from './run-parts.js';

/** Measures the service against its floors, or against another build (docs/performance.md). */
await runProgram(async (closing) => {
  const options = readOptions(process.argv.slice(2));
  const other = options.against === null ? null : openBuild(options.against);
  const readMachine = await watchMachine();
  warn(await readMachine());
  const parts = await openParts({ closing, server: await startServer(closing), options, progress }, other);
  const { failures } = await runParts(parts, {
    signal: closing.signal,
    progress,
    print: (text) => console.log(`${text}\n`),
    save: async (outcome) => save(options, await readMachine(), outcome),
  });
  warn(await readMachine());
  const failed = Object.keys(failures);
  if (failed.length === 0) return 0;
  progress(`failed: ${failed.join(', ')}`);
  return 1;
});

function warn({ quiet }: Machine): void {
  const noise = describeNoise(quiet);
  if (noise !== null) console.log(`${noise}\n`);
}

async function save({ jsonFile, ...options }: Options, machine: Machine, outcome: Outcome): Promise<void> {
  if (jsonFile === null) return;
  await writeJsonFile(jsonFile, { machine, options, ...outcome });
}

/** Prints to standard error, because standard output is reserved for the results. */
function progress(text: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);
}
