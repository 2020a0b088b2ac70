import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { readPeakBytes, type StartedServer } from '../../test/support/processes.js';
import type { BenchDatabase } from '../database/server.js';
import {
  CLAIMS,
  type Contender,
  measuredSide,
  MOVE_SECONDS_MAX,
  NOTHING_AROUND,
  type Setup,
} from '../measure/contender.js';
import type { LoadResult } from '../measure/load-result.js';
import type { Side } from '../measure/pairs.js';
import { measureQueueToValid, type QueueToValid } from '../measure/queue-to-valid.js';
import { startApi } from '../processes/service.js';
import { Worker } from '../processes/worker.js';
import { DOCUMENTS_PER_BATCH } from '../queue/fill-queue.js';
import type { MoveTask } from '../queue/move-task.js';
import { lazily } from '../run-parts.js';
import { type Build, type BuildClient, startBuildClient } from './build.js';
import { createNumberPrefix, expectRows, listReadableBatches, openStore, type Store } from './store.js';

interface ServedStore extends Store {
  /** Replaced by every restart. */
  api: StartedServer;
  restart(): Promise<void>;
}

interface Queue {
  readonly client: BuildClient;
  readonly database: BenchDatabase;
  readonly mover: Worker<MoveTask, LoadResult>;
}

/** A build that creates, fills and verifies its databases with its own code. */
export class BuildContender implements Contender {
  private readonly stores = new Map<number, ServedStore>();
  private readonly openedQueue = lazily(() => this.openQueue());

  constructor(
    private readonly setup: Setup,
    private readonly build: Build,
  ) {}

  nameIn(): string {
    return 'other build';
  }

  async accept(size: number, documentsPerBatch: number): Promise<Side> {
    const store = await this.getStore(size);
    const { load, connections } = this.setup;
    const apiKeys = store.stored.tenants.map(({ apiKey }) => apiKey);
    return this.apiSide(store, {
      ...expectRows(store, documentsPerBatch),
      run: (requests) => {
        const task = { kind: 'submit', url: store.api.url, connections, requests, apiKeys } as const;
        return load.ask({ ...task, documentsPerBatch, numberPrefix: createNumberPrefix() });
      },
    });
  }

  async readStatus(size: number): Promise<Side> {
    const store = await this.getStore(size);
    const { load, connections } = this.setup;
    const batches = listReadableBatches(store);
    return this.apiSide(store, {
      ...NOTHING_AROUND,
      run: (requests) => load.ask({ kind: 'status', url: store.api.url, connections, requests, batches }),
    });
  }

  /** Measures the dispatcher's claim and settle with the build's own mover. */
  async moveQueue(): Promise<Side> {
    const { client, database, mover } = await this.openedQueue();
    let moved = 0;
    return measuredSide(this.setup, () => mover, {
      begin: async (requests, runs) => {
        moved = 0;
        // Leaves enough documents for claims in progress at the end of a run, which are also settled.
        await client('fillQueue', { documents: runs * (wholeBatches(requests) + CLAIMS * DOCUMENTS_PER_BATCH) });
      },
      run: async (documents) => {
        const task = { databaseUrl: database.dispatcherUrl, workers: CLAIMS, documents, secondsMax: MOVE_SECONDS_MAX };
        const result = await mover.ask(task);
        moved += result.requests;
        return result;
      },
      end: async (isComplete) => {
        if (isComplete) await client('checkMoved', { documents: moved });
      },
    });
  }

  /** Measures documents from the queue to `Valid`. Each run starts a new dispatcher and a new simulator. */
  async queueToValid(): Promise<Side> {
    return {
      ...NOTHING_AROUND,
      run: async (documents) => {
        const { seconds, cpuSeconds } = await this.measureToValid(documents);
        return { requests: documents, seconds, cpuSeconds: cpuSeconds.dispatcher + cpuSeconds.PostgreSQL };
      },
      restart: () => Promise.resolve(),
    };
  }

  async measureToValid(documents: number): Promise<QueueToValid> {
    const { client, database } = await this.openedQueue();
    await client('fillQueue', { documents });
    const { closing, server } = this.setup;
    return measureQueueToValid(closing, server, { database, documents, dist: this.build.dist });
  }

  /** Returns the peak memory of the running API processes. NaN if there are none or the system does not report it. */
  readPeakMebibytes(): number {
    const peaks = [...this.stores.values()].map(({ api }) => readPeakBytes(api) / 2 ** 20);
    return peaks.length === 0 ? Number.NaN : Math.max(...peaks);
  }

  private apiSide(store: ServedStore, parts: Parameters<typeof measuredSide>[2]): Side {
    return measuredSide(this.setup, () => ({ processId: store.api.processId, restart: () => store.restart() }), parts);
  }

  private async getStore(size: number): Promise<ServedStore> {
    const known = this.stores.get(size);
    if (known !== undefined) return known;
    const { closing, server, connections } = this.setup;
    const store = await openStore(this.setup, this.build, size);
    const { name, appUrl: databaseUrl } = store.database;
    const logFile = path.join(server.directory, `${name}.log`);
    const launch = (): Promise<StartedServer> =>
      startApi(closing, { databaseUrl, connections, logFile, dist: this.build.dist });
    const served: ServedStore = {
      ...store,
      api: await launch(),
      restart: async () => {
        await served.api.stop();
        served.api = await launch();
      },
    };
    this.stores.set(size, served);
    return served;
  }

  private async openQueue(): Promise<Queue> {
    const { closing, server } = this.setup;
    const database = await server.createBareDatabase(`${this.build.name}_queue`);
    const client = await startBuildClient(closing, this.build);
    await client('openQueue', { ownerUrl: database.ownerUrl, superuserUrl: database.superuserUrl });
    const mover = pathToFileURL(path.join(this.build.dist, 'bench/queue/service-mover.js'));
    return { client, database, mover: await Worker.start(closing, mover) };
  }
}

function wholeBatches(documents: number): number {
  return Math.ceil(documents / DOCUMENTS_PER_BATCH) * DOCUMENTS_PER_BATCH;
}
