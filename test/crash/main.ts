import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { BOUNDARIES, type Boundary } from '../../src/common/failpoints/boundaries.js';
import { FAILPOINT_MODES } from '../../src/common/failpoints/failpoints.js';
import { type Closing, runProgram } from '../../standalone/program.js';
import { TestPostgres } from '../support/postgres.js';
import { formatProgress, buildReport } from './report.js';
import { type CaseResult, type CrashCase, getFailpoint, runCase, type Side } from './run-case.js';
import { SCENARIOS } from './scenarios.js';
import { Stage } from './stage.js';

const USAGE = 'Usage: npm run check -- crash [--only TEXT in the name of a failpoint] [--stages 4]';
// More stages than cores, because cases mostly wait for the next tick of a loop.
const STAGES = '4';

/** `npm run check -- crash`: runs every failpoint in every mode (docs/reliability.md). */
await runProgram(async (closing) => {
  const { only, stages } = readOptions(process.argv.slice(2));
  const cases = allCases().filter((crash) => `${getFailpoint(crash)}:${crash.mode}`.includes(only));
  const begun = performance.now();
  const results = await playAll(closing, cases, Math.min(stages, cases.length));
  const { text, isPassed } = buildReport(results, (performance.now() - begun) / 1_000);
  console.log(text);
  return isPassed ? 0 : 1;
});

/** @throws Error with the usage */
function readOptions(parameters: string[]): { only: string; stages: number } {
  try {
    const { values } = parseArgs({
      args: parameters,
      options: { only: { type: 'string', default: '' }, stages: { type: 'string', default: STAGES } },
    });
    return { only: values.only, stages: Math.max(1, Number.parseInt(values.stages, 10)) };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`, { cause: error });
  }
}

/** Lists all failpoints in all modes. API cases come first, because they share a dispatcher. */
function allCases(): CrashCase[] {
  const boundaries = Object.keys(BOUNDARIES) as Boundary[];
  const ordered = boundaries.toSorted((a, b) => (SCENARIOS[a].process < SCENARIOS[b].process ? -1 : 1));
  const sides: readonly Side[] = ['before', 'after'];
  return ordered.flatMap((boundary) =>
    sides.flatMap((side) => FAILPOINT_MODES.map((mode) => ({ boundary, side, mode }))),
  );
}

async function playAll(closing: Closing, all: readonly CrashCase[], stageCount: number): Promise<CaseResult[]> {
  // Only processes crash, so that PostgreSQL does not need fsync.
  const folder = await mkdtemp(path.join(tmpdir(), 'einvoice-crash-'));
  await closing.add({ close: () => rm(folder, { recursive: true, force: true }) });
  const server = await TestPostgres.start(folder, ['fsync=off', 'max_connections=300']);
  await closing.add({ close: () => server.stop() });
  const waiting = [...all];
  const played: CaseResult[] = [];
  const playWaiting = async (name: string): Promise<void> => {
    const stage = await Stage.open(server, name);
    await closing.add(stage);
    for (let crash = waiting.shift(); crash !== undefined; crash = waiting.shift()) {
      closing.signal.throwIfAborted();
      const result = await runCase(stage, crash);
      played.push(result);
      console.error(formatProgress(result, played.length, all.length));
    }
  };
  await Promise.all(Array.from({ length: stageCount }, (_, index) => playWaiting(`crash_${index + 1}`)));
  return played;
}
