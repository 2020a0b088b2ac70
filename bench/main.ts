import { type Closing, runProgram } from '../standalone/program.js';
import { openBuild } from './builds/build.js';
import { buildParts } from './builds/build-parts.js';
import { startServer } from './database/server.js';
import { estimateSeconds } from './estimate.js';
import { floorParts } from './floor-parts.js';
import { writeJsonFile } from './json-file.js';
import { describeNoise, type Machine, watchMachine } from './machine.js';
import { type ReadOptions, readOptions } from './options.js';
import { type Outcome, type Part, runParts } from './run-parts.js';

/**
 * Measures the service against its floors, or against another build (docs/performance.md).
 */
await runProgram(async (closing) => {
  const options = readOptions(process.argv.slice(2));
  const minutes = Math.ceil(estimateSeconds(options) / 60);
  progress(`${options.only.join(', ')}: about ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`);
  const readMachine = await watchMachine();
  warn(await readMachine());
  const parts = await openParts(closing, options);
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

async function openParts(closing: Closing, options: ReadOptions): Promise<Part[]> {
  if (options.against === null) return floorParts({ closing, server: await startServer(closing), options, progress });
  const other = openBuild(options.against);
  return buildParts({ closing, server: await startServer(closing), options, progress }, other);
}

/** Before the run, and after it. */
function warn({ quiet }: Machine): void {
  const noise = describeNoise(quiet);
  if (noise !== null) console.log(`${noise}\n`);
}

async function save({ jsonFile, ...options }: ReadOptions, machine: Machine, outcome: Outcome): Promise<void> {
  if (jsonFile === null) return;
  await writeJsonFile(jsonFile, { machine, options, ...outcome });
}

/** On standard error: standard output is for the figures. */
function progress(text: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);
}
