import { BuildContender } from './builds/build-contender.js';
import { type Build, CURRENT_BUILD } from './builds/build.js';
import { Floors } from './floors/floors.js';
import type { LoadTask } from './load/load.js';
import type { Contender, Setup } from './measure/contender.js';
import { measureDashboardList } from './measure/dashboard-list.js';
import type { LoadResult } from './measure/load-result.js';
import { type Pair, type PairOptions, runPairs, type Side } from './measure/pairs.js';
import { type BenchmarkName, type Options, roundsToValid } from './options.js';
import { Worker } from './processes/worker.js';
import { DOCUMENTS_PER_BATCH } from './queue/fill-queue.js';
import { listFigure, pairsFigure, toValidFigure } from './report.js';
import type { Figure, Part } from './run-parts.js';

export interface PartsContext extends Pick<Setup, 'closing' | 'server'> {
  readonly options: Options;
  readonly progress: (text: string) => void;
}

const QUEUE_DOCUMENTS_MIN = 2_000;

/** Prepares the benchmarks of this build against another build, or against the floors and other job queues. */
export async function openParts({ options, progress, ...context }: PartsContext, build: Build | null): Promise<Part[]> {
  const { connections, sizes, documents } = options;
  // Autovacuum would disturb individual runs. Instead, all tables are vacuumed after each run.
  await context.server.stopAutovacuum();
  const load = await Worker.start<LoadTask, LoadResult>(context.closing, new URL('./load/load.js', import.meta.url));
  const setup: Setup = { ...context, load, connections };
  const current = new BuildContender(setup, CURRENT_BUILD);
  const other = build === null ? new Floors(setup) : new BuildContender(setup, build);

  async function compare(
    name: BenchmarkName,
    selectSide: (contender: Contender, size: number) => Promise<Side>,
    { unitsPerRequest = 1, ...own }: Partial<PairOptions> & { unitsPerRequest?: number } = {},
  ): Promise<Figure> {
    const pairs: Pair[] = [];
    // Queues are filled for each run, so they do not depend on the number of stored documents.
    for (const size of name.startsWith('queue') ? [0] : sizes) {
      pairs.push({ size, current: await selectSide(current, size), other: await selectSide(other, size) });
    }
    const runs = { ...options, requestsMin: 2 * connections, isWarm: true, progress, ...own };
    const result = { name, against: other.nameIn(name), unitsPerRequest, sizes: await runPairs(pairs, runs) };
    return pairsFigure(result, current.readPeakMebibytes());
  }
  const ofQueue = { requestsMin: QUEUE_DOCUMENTS_MIN };
  const measures: Record<BenchmarkName, () => Promise<Figure>> = {
    'accept-batch': () =>
      compare('accept-batch', (one, size) => one.accept(size, DOCUMENTS_PER_BATCH), {
        unitsPerRequest: DOCUMENTS_PER_BATCH,
      }),
    'accept-single': () => compare('accept-single', (one, size) => one.accept(size, 1)),
    status: () => compare('status', (one, size) => one.readStatus(size)),
    'queue-batch': () => compare('queue-batch', (one) => one.moveQueue('queue-batch'), ofQueue),
    'queue-single': () => compare('queue-single', (one) => one.moveQueue('queue-single'), ofQueue),
    'queue-to-valid': async () => {
      if (!(other instanceof BuildContender)) return toValidFigure(await current.measureToValid(documents));
      const runs = { requestsMin: documents, rounds: roundsToValid(options), isWarm: false };
      return compare('queue-to-valid', (one) => (one as BuildContender).queueToValid(), runs);
    },
    'dashboard-list': async () =>
      listFigure(await measureDashboardList(context.server, { documents: Math.max(...sizes), progress })),
  };
  return options.only.map((name) => ({ name, measure: measures[name] }));
}
