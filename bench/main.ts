import { writeFile } from 'node:fs/promises';
import { type Closing, runProgram } from '../standalone/program.js';
import { startServer } from './database/server.js';
import { acceptContests } from './measure/accept.js';
import { measureBuilding } from './measure/building.js';
import { type ListFigures, measureDashboardList } from './measure/dashboard-list.js';
import { graphileContest, openQueueSite, pgBossContest, type QueueSite, snapshotContest } from './measure/queue.js';
import { measureQueueToValid, type QueueToValid } from './measure/queue-to-valid.js';
import { runRounds } from './measure/rounds.js';
import { countStatements } from './measure/statements.js';
import { statusContests } from './measure/status.js';
import { type BenchmarkName, HTTP_BENCHMARKS, type Options, QUEUE_BENCHMARKS, readOptions } from './options.js';
import { asJson, asText, type BenchmarkResult, type ContestName, type Results } from './report.js';
import { setUp, type Stage } from './stage.js';

const DOCUMENTS_PER_BATCH = 100;
const QUEUE_DOCUMENTS_MIN = 2_000;

/** `npm run bench` (D19): the service against its floors, see docs/performance.md. */
await runProgram(async (closing) => {
  const options = readOptions(process.argv.slice(2));
  const results = await measure(closing, options);
  console.log(asText(results));
  if (options.jsonFile !== null) await writeFile(options.jsonFile, asJson(results, options));
  return 0;
});

async function measure(closing: Closing, options: Options): Promise<Results> {
  const server = await startServer(closing);
  const isAsked = (names: readonly BenchmarkName[]): boolean => names.some((name) => options.only.includes(name));
  const stage = isAsked(HTTP_BENCHMARKS) ? await setUp(closing, server, { ...options, progress }) : null;
  const site = isAsked(QUEUE_BENCHMARKS) ? await openQueueSite(closing, server) : null;
  const benchmarks: BenchmarkResult[] = [];
  let queueToValid: QueueToValid | null = null;
  let dashboardList: ListFigures | null = null;
  for (const name of options.only) {
    // Nothing is begun after Ctrl-C.
    closing.signal.throwIfAborted();
    progress(name);
    if (isHttp(name)) benchmarks.push(await httpBenchmark(name, given(stage), options));
    else if (name === 'dashboard-list') {
      dashboardList = await measureDashboardList(server, { documents: Math.max(...options.sizes), progress });
    } else if (name === 'queue-to-valid') queueToValid = await measureQueueToValid(closing, server, given(site));
    else benchmarks.push(await queueBenchmark(name, given(site), options));
  }
  return {
    benchmarks,
    queueToValid,
    dashboardList,
    building: measureBuilding(),
    statements: stage === null ? [] : await countStatements(stage),
    peakResidentMebibytes: stage === null ? null : await peakOf(stage),
  };
}

/** @throws Error when what a benchmark needs was not set up, a mistake of this file */
function given<T>(value: T | null): T {
  if (value === null) throw new Error('The benchmark has no stage');
  return value;
}

async function peakOf({ sites }: Stage): Promise<number | null> {
  const peaks = await Promise.all(sites.map(({ api }) => api.peakResidentMebibytes()));
  return peaks.includes(null) ? null : Math.max(...peaks.map(Number));
}

type HttpBenchmarkName = (typeof HTTP_BENCHMARKS)[number];

function isHttp(name: BenchmarkName): name is HttpBenchmarkName {
  return HTTP_BENCHMARKS.some((known) => known === name);
}

async function httpBenchmark(name: HttpBenchmarkName, stage: Stage, options: Options): Promise<BenchmarkResult> {
  const rounds = { rounds: options.rounds, seconds: options.seconds, requestsMin: 2 * stage.connections, progress };
  switch (name) {
    case 'accept-batch': {
      const contests = acceptContests(stage, DOCUMENTS_PER_BATCH);
      const sizes = await runRounds(contests, rounds);
      return { name, unit: 'documents', against: 'floor', unitsPerRequest: DOCUMENTS_PER_BATCH, sizes };
    }
    case 'accept-single': {
      const sizes = await runRounds(acceptContests(stage, 1), rounds);
      return { name, unit: 'documents', against: 'floor', unitsPerRequest: 1, sizes };
    }
    case 'status': {
      const sizes = await runRounds(await statusContests(stage), rounds);
      return { name, unit: 'reads', against: 'floor', unitsPerRequest: 1, sizes };
    }
  }
}

async function queueBenchmark(
  name: Exclude<ContestName, HttpBenchmarkName>,
  site: QueueSite,
  { rounds, seconds, holdSeconds }: Options,
): Promise<BenchmarkResult> {
  const options = { rounds, seconds, requestsMin: QUEUE_DOCUMENTS_MIN, progress };
  const result = { name, unit: 'documents', unitsPerRequest: 1 } as const;
  switch (name) {
    case 'queue-batch':
    case 'queue-batch-built': {
      const contest = pgBossContest(site, { haveBytes: name === 'queue-batch-built' });
      return { ...result, against: 'pg-boss', sizes: await runRounds([contest], options) };
    }
    case 'queue-single':
      return { ...result, against: 'graphile-worker', sizes: await runRounds([graphileContest(site)], options) };
    case 'queue-snapshot': {
      const contest = snapshotContest(site, { secondsMax: holdSeconds });
      return {
        ...result,
        against: 'no snapshot',
        sizes: await runRounds([contest], { ...options, seconds: holdSeconds }),
      };
    }
  }
}

/** On standard error: standard output is for the figures. */
function progress(text: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);
}
