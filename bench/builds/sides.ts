import { randomBytes } from 'node:crypto';
import type { Closing } from '../../standalone/program.js';
import type { BenchServer } from '../database/server.js';
import type { LoadTask } from '../load/load.js';
import type { LoadResult } from '../measure/load-result.js';
import type { BuildSide } from '../measure/pairs.js';
import { measureQueueToValid } from '../measure/queue-to-valid.js';
import type { Worker } from '../processes/worker.js';
import { DOCUMENTS_PER_BATCH } from '../queue/fill-queue.js';
import { type BuildQueue, type StoreSite, withCpu } from './sites.js';

/** Shared parts of both builds: one PostgreSQL server and one load generator. */
export interface BuildSetup {
  readonly closing: Closing;
  readonly server: BenchServer;
  readonly load: Worker<LoadTask, LoadResult>;
  readonly connections: number;
}

const NOTHING_AROUND = {
  begin: () => Promise.resolve(),
  end: () => Promise.resolve(),
  restart: () => Promise.resolve(),
};

/** Number of concurrent claims. */
const CLAIMS = 4;
const MOVE_SECONDS_MAX = 120;

export function acceptSide(
  { server, load, connections }: BuildSetup,
  site: StoreSite,
  documentsPerBatch: number,
): BuildSide {
  const apiKeys = site.stored.tenants.map(({ apiKey }) => apiKey);
  let batches = 0;
  const submit = (requests: number): Promise<LoadResult> => {
    // Each run has its own document numbers of a realistic length.
    const numberPrefix = `INV-${randomBytes(3).toString('hex')}`;
    const task = { kind: 'submit', url: site.api.url, connections, requests, apiKeys } as const;
    return load.ask({ ...task, documentsPerBatch, numberPrefix });
  };
  return {
    begin: async () => {
      batches = 0;
      await site.client('beginAccepting');
    },
    run: async (requests) => {
      const result = await withCpu(server, site.api.processId, () => submit(requests));
      batches += requests;
      return result;
    },
    end: (isComplete) =>
      site.client('endAccepting', isComplete ? { batches, documents: batches * documentsPerBatch } : null),
    restart: () => site.restart(),
  };
}

export function statusSide({ server, load, connections }: BuildSetup, site: StoreSite): BuildSide {
  const apiKeyByTenant = new Map(site.stored.tenants.map(({ tenantId, apiKey }) => [tenantId, apiKey]));
  const batches = site.stored.batches.map(({ tenantId, batchId, size }) => ({
    batchId,
    size,
    apiKey: apiKeyByTenant.get(tenantId) ?? '',
  }));
  return {
    ...NOTHING_AROUND,
    run: (requests) =>
      withCpu(server, site.api.processId, () =>
        load.ask({ kind: 'status', url: site.api.url, connections, requests, batches }),
      ),
    restart: () => site.restart(),
  };
}

/** Measures the dispatcher's claim and settle with the build's own mover. */
export function moveSide({ server }: BuildSetup, queue: BuildQueue, haveBytes: boolean): BuildSide {
  const { client, database, mover } = queue;
  let moved = 0;
  return {
    begin: async (requests, runs) => {
      moved = 0;
      // Leaves room for claims in progress at the end of a run, which are also settled.
      const documents = runs * (wholeBatches(requests) + CLAIMS * DOCUMENTS_PER_BATCH);
      await client('fillQueue', { documents, haveBytes });
    },
    run: async (documents) => {
      const task = { databaseUrl: database.dispatcherUrl, workers: CLAIMS, documents, secondsMax: MOVE_SECONDS_MAX };
      const result = await withCpu(server, mover.processId, () => mover.ask(task));
      moved += result.requests;
      return result;
    },
    end: async (isComplete) => {
      if (isComplete) await client('checkMoved', { documents: moved });
    },
    restart: () => mover.restart(),
  };
}

/** Measures documents from the queue to `Valid`. Each run starts a new dispatcher and a new simulator of this build. */
export function toValidSide({ closing, server }: BuildSetup, { build, client, database }: BuildQueue): BuildSide {
  return {
    ...NOTHING_AROUND,
    run: async (documents) => {
      await client('fillQueue', { documents, haveBytes: false });
      const options = { database, documents, dist: build.dist, settings: build.settings };
      const { seconds, cpuSeconds } = await measureQueueToValid(closing, server, options);
      return { requests: documents, seconds, cpuSeconds: cpuSeconds.dispatcher + cpuSeconds.PostgreSQL };
    },
  };
}

function wholeBatches(documents: number): number {
  return Math.ceil(documents / DOCUMENTS_PER_BATCH) * DOCUMENTS_PER_BATCH;
}
