import { writeFile } from 'node:fs/promises';
import { type Closing, runProgram } from '../standalone/program.js';
import { acceptContests } from './measure/accept.js';
import { measureBuilding } from './measure/building.js';
import { runRounds } from './measure/rounds.js';
import { countStatements } from './measure/statements.js';
import { statusContests } from './measure/status.js';
import { type BenchmarkName, type Options, readOptions } from './options.js';
import { asJson, asText, type BenchmarkResult, type Results } from './report.js';
import { setUp, type Stage } from './stage.js';

const DOCUMENTS_PER_BATCH = 100;

/** `npm run bench` (D19): the service against its floors, see docs/performance.md. */
await runProgram(async (closing) => {
  const options = readOptions(process.argv.slice(2));
  const results = await measure(closing, options);
  console.log(asText(results));
  if (options.jsonFile !== null) await writeFile(options.jsonFile, asJson(results, options));
  return 0;
});

async function measure(closing: Closing, options: Options): Promise<Results> {
  const stage = await setUp(closing, options, progress);
  const benchmarks: BenchmarkResult[] = [];
  for (const name of options.only) {
    // Nothing is begun after Ctrl-C.
    closing.signal.throwIfAborted();
    progress(name);
    benchmarks.push(await benchmark(name, stage, options));
  }
  const peaks = await Promise.all(stage.sites.map(({ api }) => api.peakResidentMebibytes()));
  return {
    benchmarks,
    building: measureBuilding(),
    statements: await countStatements(stage),
    peakResidentMebibytes: peaks.includes(null) ? null : Math.max(...peaks.map(Number)),
  };
}

async function benchmark(name: BenchmarkName, stage: Stage, options: Options): Promise<BenchmarkResult> {
  const rounds = { rounds: options.rounds, seconds: options.seconds, requestsMin: 2 * stage.connections, progress };
  switch (name) {
    case 'accept-batch': {
      const contests = acceptContests(stage, DOCUMENTS_PER_BATCH);
      const sizes = await runRounds(contests, rounds);
      return { name, unit: 'documents', unitsPerRequest: DOCUMENTS_PER_BATCH, sizes };
    }
    case 'accept-single':
      return { name, unit: 'documents', unitsPerRequest: 1, sizes: await runRounds(acceptContests(stage, 1), rounds) };
    case 'status':
      return { name, unit: 'reads', unitsPerRequest: 1, sizes: await runRounds(await statusContests(stage), rounds) };
  }
}

/** On standard error: standard output is for the figures. */
function progress(text: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);
}
