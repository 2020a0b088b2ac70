import type { Closing } from '../standalone/program.js';
import { readPeakBytes } from '../test/support/processes.js';
import type { BenchServer } from './database/server.js';
import { acceptContests } from './measure/accept.js';
import { measureDashboardList } from './measure/dashboard-list.js';
import { graphileContest, openQueueSite, pgBossContest, type QueueSite } from './measure/queue.js';
import { measureQueueToValid } from './measure/queue-to-valid.js';
import { type Contest, runRounds } from './measure/rounds.js';
import { statusContests } from './measure/status.js';
import type { BenchmarkName, HTTP_BENCHMARKS, Options, QUEUE_BENCHMARKS } from './options.js';
import { DOCUMENTS_PER_BATCH, fillQueue } from './queue/fill-queue.js';
import { type BenchmarkResult, contestFigure, listFigure, toValidFigure } from './report.js';
import { type Figure, lazily, type Part } from './run-parts.js';
import { setUp, type Stage } from './stage.js';

export interface PartsContext {
  readonly closing: Closing;
  readonly server: BenchServer;
  readonly options: Options;
  readonly progress: (text: string) => void;
}

const QUEUE_DOCUMENTS_MIN = 2_000;

/** Compares the service with its floors and with other job queues. */
export function floorParts(context: PartsContext): Part[] {
  const { closing, server, options, progress } = context;
  // The first benchmark that needs a shared part sets it up.
  const stage = lazily(() => setUp(closing, server, { ...options, progress }));
  const site = lazily(() => openQueueSite(closing, server));
  const measures: Record<BenchmarkName, () => Promise<Figure>> = {
    'accept-batch': async () => httpFigure('accept-batch', await stage(), context),
    'accept-single': async () => httpFigure('accept-single', await stage(), context),
    status: async () => httpFigure('status', await stage(), context),
    'queue-batch': async () => queueFigure('queue-batch', await site(), context),
    'queue-batch-built': async () => queueFigure('queue-batch-built', await site(), context),
    'queue-single': async () => queueFigure('queue-single', await site(), context),
    'queue-to-valid': async () => queueToValid(await site(), context),
    'dashboard-list': async () =>
      listFigure(await measureDashboardList(server, { documents: Math.max(...options.sizes), progress })),
  };
  return options.only.map((name) => ({ name, measure: measures[name] }));
}

type HttpBenchmarkName = (typeof HTTP_BENCHMARKS)[number];
type QueueBenchmarkName = (typeof QUEUE_BENCHMARKS)[number];

async function httpFigure(name: HttpBenchmarkName, stage: Stage, { options, progress }: PartsContext): Promise<Figure> {
  const contests: Record<HttpBenchmarkName, () => Promise<Contest[]> | Contest[]> = {
    'accept-batch': () => acceptContests(stage, DOCUMENTS_PER_BATCH),
    'accept-single': () => acceptContests(stage, 1),
    status: () => statusContests(stage),
  };
  const { rounds, seconds } = options;
  const sizes = await runRounds(await contests[name](), {
    rounds,
    seconds,
    requestsMin: 2 * stage.connections,
    progress,
  });
  const unit = name === 'status' ? 'reads' : 'documents';
  const unitsPerRequest = name === 'accept-batch' ? DOCUMENTS_PER_BATCH : 1;
  return contestFigure({ name, unit, against: 'floor', unitsPerRequest, sizes }, readPeak(stage));
}

/** Returns the peak memory of the API processes in mebibytes, or null if the system does not report it. */
function readPeak({ sites }: Stage): number | null {
  const peak = Math.max(...sites.map(({ api }) => readPeakBytes(api) / 2 ** 20));
  return Number.isNaN(peak) ? null : peak;
}

async function queueFigure(
  name: QueueBenchmarkName,
  site: QueueSite,
  { options, progress }: PartsContext,
): Promise<Figure> {
  const { rounds, seconds } = options;
  const contests: Record<QueueBenchmarkName, { contest: Contest; against: BenchmarkResult['against'] }> = {
    'queue-batch': { contest: pgBossContest(site, { haveBytes: false }), against: 'pg-boss' },
    'queue-batch-built': { contest: pgBossContest(site, { haveBytes: true }), against: 'pg-boss' },
    'queue-single': { contest: graphileContest(site), against: 'graphile-worker' },
  };
  const { contest, against } = contests[name];
  const sizes = await runRounds([contest], { rounds, seconds, requestsMin: QUEUE_DOCUMENTS_MIN, progress });
  return contestFigure({ name, unit: 'documents', against, unitsPerRequest: 1, sizes }, null);
}

async function queueToValid(
  { database, tenantIds }: QueueSite,
  { closing, server, options: { documents } }: PartsContext,
): Promise<Figure> {
  await fillQueue(database.superuser, { tenantIds, documents, haveBytes: false });
  return toValidFigure(await measureQueueToValid(closing, server, { database, documents }));
}
