import type { Closing } from '../../standalone/program.js';
import type { BenchServer } from '../database/server.js';
import { type BuildPair, type BuildSide, type PairOptions, runPairs } from '../measure/pairs.js';
import { type ComparedName, type Options, roundsToValid } from '../options.js';
import { startCollector } from '../processes/collector.js';
import { Worker } from '../processes/worker.js';
import { DOCUMENTS_PER_BATCH } from '../queue/fill-queue.js';
import { pairsFigure } from '../report.js';
import { lazily, type Part } from '../run-parts.js';
import { type Build, CURRENT_BUILD } from './build.js';
import { acceptSide, type BuildSetup, moveSide, statusSide, toValidSide } from './sides.js';
import { type BuildQueue, openBuildQueue, openStoreSite, type StoreSite } from './sites.js';

export interface BuildPartsContext {
  readonly closing: Closing;
  readonly server: BenchServer;
  readonly options: Options<ComparedName> & { readonly traces: number | null };
  readonly progress: (text: string) => void;
}

const QUEUE_DOCUMENTS_MIN = 2_000;

/** Both builds with the same number of stored documents. `size` is 0 for a queue, which is filled for each run. */
interface Sites<Site> {
  readonly size: number;
  readonly current: Site;
  readonly other: Site;
}

type Builds = Readonly<Record<Build['name'], Build>>;

interface Comparison {
  readonly unitsPerRequest: number;
  readonly runs: PairOptions;
  readonly pairs: () => Promise<BuildPair[]>;
}

/** Compares this build with another one, which alternately do the same work on the same server. */
export async function buildParts(context: BuildPartsContext, other: Build): Promise<Part[]> {
  const { options } = context;
  const ground = await openSetup(context);
  const settings = options.traces === null ? {} : await startCollector(context.closing, options.traces);
  const builds = { current: { ...CURRENT_BUILD, settings }, other };
  const stores = lazily(() => openStores(context, builds));
  const queues = lazily(() => openQueues(context, builds));
  const { connections, documents, rounds, seconds } = options;
  const overHttp = { rounds, seconds, requestsMin: 2 * connections, isWarm: true, progress: context.progress };
  const ofQueue = { ...overHttp, requestsMin: QUEUE_DOCUMENTS_MIN };
  const toValid = {
    ...ofQueue,
    rounds: roundsToValid(options),
    requestsMin: documents,
    isWarm: false,
  };
  const comparisons: Record<ComparedName, Comparison> = {
    'accept-batch': {
      unitsPerRequest: DOCUMENTS_PER_BATCH,
      runs: overHttp,
      pairs: async () => pairBySize(await stores(), (store) => acceptSide(ground, store, DOCUMENTS_PER_BATCH)),
    },
    'accept-single': {
      unitsPerRequest: 1,
      runs: overHttp,
      pairs: async () => pairBySize(await stores(), (store) => acceptSide(ground, store, 1)),
    },
    status: {
      unitsPerRequest: 1,
      runs: overHttp,
      pairs: async () => pairBySize(await stores(), (store) => statusSide(ground, store)),
    },
    'queue-batch': {
      unitsPerRequest: 1,
      runs: ofQueue,
      pairs: async () => pairBySize(await queues(), (queue) => moveSide(ground, queue, false)),
    },
    'queue-batch-built': {
      unitsPerRequest: 1,
      runs: ofQueue,
      pairs: async () => pairBySize(await queues(), (queue) => moveSide(ground, queue, true)),
    },
    'queue-to-valid': {
      unitsPerRequest: 1,
      runs: toValid,
      pairs: async () => pairBySize(await queues(), (queue) => toValidSide(ground, queue)),
    },
  };
  return options.only.map((name) => ({
    name,
    measure: async () => {
      const { unitsPerRequest, runs, pairs } = comparisons[name];
      const sizes = await runPairs(await pairs(), runs);
      return pairsFigure({ name, unit: name === 'status' ? 'reads' : 'documents', unitsPerRequest, sizes });
    },
  }));
}

function pairBySize<Site>(sites: readonly Sites<Site>[], selectSide: (site: Site) => BuildSide): BuildPair[] {
  return sites.map(({ size, current, other }) => ({ size, current: selectSide(current), other: selectSide(other) }));
}

async function openSetup({ closing, server, options }: BuildPartsContext): Promise<BuildSetup> {
  // Autovacuum would disturb the run of one build. All tables are vacuumed after each run instead.
  await server.stopAutovacuum();
  const load = new URL('../load/load.js', import.meta.url);
  return { closing, server, load: await Worker.start(closing, load), connections: options.connections };
}

async function openStores(context: BuildPartsContext, { current, other }: Builds): Promise<Sites<StoreSite>[]> {
  const { options, progress } = context;
  const stores: Sites<StoreSite>[] = [];
  for (const size of options.sizes) {
    const open = (build: Build): Promise<StoreSite> =>
      openStoreSite({ ...context, build }, { size, connections: options.connections });
    stores.push({ size, current: await open(current), other: await open(other) });
    progress(`${size} documents stored by each build`);
  }
  return stores;
}

async function openQueues(context: BuildPartsContext, { current, other }: Builds): Promise<Sites<BuildQueue>[]> {
  const queue = await openBuildQueue({ ...context, build: current });
  return [{ size: 0, current: queue, other: await openBuildQueue({ ...context, build: other }) }];
}
