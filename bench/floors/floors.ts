import { CURRENT_BUILD } from '../builds/build.js';
import { createNumberPrefix, expectRows, listReadableBatches, openStore, type Store } from '../builds/store.js';
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
import type { BenchmarkName } from '../options.js';
import { Worker } from '../processes/worker.js';
import { DOCUMENTS_PER_BATCH, keepSamples } from '../queue/fill-queue.js';
import { FILL_GRAPHILE, READ_PAYLOADS } from '../queue/fill-queue.sql.js';
import type { MoveTask } from '../queue/move-task.js';
import type { PgBossTask } from '../queue/pg-boss-mover.js';
import type { AcceptFloorTask } from './accept-floor.js';
import type { StatusFloorTask } from './status-floor.js';

/** Programs that do the same work with less code: plain SQL, a minimal HTTP handler and other job queues. */
export class Floors implements Contender {
  private readonly stores = new Map<number, Store>();

  constructor(private readonly setup: Setup) {}

  nameIn(benchmark: BenchmarkName): string {
    const queues: Partial<Record<BenchmarkName, string>> = {
      'queue-batch': 'pg-boss',
      'queue-single': 'graphile-worker',
    };
    return queues[benchmark] ?? 'floor';
  }

  async accept(size: number, documentsPerBatch: number): Promise<Side> {
    const store = await this.getStore(size);
    const floor = await this.startWorker<AcceptFloorTask, LoadResult>(new URL('./accept-floor.js', import.meta.url));
    const { connections } = this.setup;
    const tenantIds = store.stored.tenants.map(({ tenantId }) => tenantId);
    return measuredSide(this.setup, () => floor, {
      ...expectRows(store, documentsPerBatch),
      run: (batches) => {
        const task = { databaseUrl: store.database.appUrl, connections, tenantIds, documentsPerBatch, batches };
        return floor.ask({ ...task, numberPrefix: createNumberPrefix() });
      },
    });
  }

  async readStatus(size: number): Promise<Side> {
    const store = await this.getStore(size);
    const floor = await this.startWorker<StatusFloorTask, { url: string }>(
      new URL('./status-floor.js', import.meta.url),
    );
    const { load, connections } = this.setup;
    const batches = listReadableBatches(store);
    const serve = async (): Promise<string> =>
      (await floor.ask({ databaseUrl: store.database.appUrl, connections })).url;
    let url = await serve();
    const restart = async (): Promise<void> => {
      await floor.restart();
      url = await serve();
    };
    return measuredSide(this.setup, () => ({ processId: floor.processId, restart }), {
      ...NOTHING_AROUND,
      run: (requests) => load.ask({ kind: 'status', url, connections, requests, batches }),
    });
  }

  moveQueue(benchmark: 'queue-batch' | 'queue-single'): Promise<Side> {
    return benchmark === 'queue-batch' ? this.movePgBoss() : this.moveGraphile();
  }

  private async movePgBoss(): Promise<Side> {
    const { ownerUrl: databaseUrl, superuser } = await this.openQueue('pg_boss');
    const mover = await this.startWorker<PgBossTask, LoadResult>(new URL('../queue/pg-boss-mover.js', import.meta.url));
    const { rows } = await superuser.query<{ payload: object }>(READ_PAYLOADS);
    const payloads = rows.map(({ payload }) => payload);
    const move = (documents: number): Promise<LoadResult> =>
      mover.ask({ kind: 'move', databaseUrl, workers: CLAIMS, documents, secondsMax: MOVE_SECONDS_MAX });
    const fill = (documents: number): Promise<LoadResult> =>
      mover.ask({ kind: 'fill', databaseUrl, documents, payloads });
    return this.queueSide(superuser, mover, { fill, move });
  }

  private async moveGraphile(): Promise<Side> {
    const { ownerUrl: databaseUrl, superuser } = await this.openQueue('graphile');
    const mover = await this.startWorker<MoveTask, LoadResult>(new URL('../queue/graphile-mover.js', import.meta.url));
    const move = (documents: number): Promise<LoadResult> =>
      mover.ask({ databaseUrl, workers: CLAIMS, documents, secondsMax: MOVE_SECONDS_MAX });
    // Creates the schema.
    await move(0);
    return this.queueSide(superuser, mover, { fill: (documents) => superuser.query(FILL_GRAPHILE, [documents]), move });
  }

  private queueSide(
    superuser: BenchDatabase['superuser'],
    mover: Worker<never, LoadResult>,
    { fill, move }: { fill: (documents: number) => Promise<unknown>; move: (documents: number) => Promise<LoadResult> },
  ): Side {
    return measuredSide(this.setup, () => mover, {
      ...NOTHING_AROUND,
      begin: async (requests, runs) => {
        // Leaves enough jobs for those in progress at the end of a run, which are also completed.
        await fill(runs * (requests + CLAIMS * DOCUMENTS_PER_BATCH));
        await superuser.query('VACUUM (ANALYZE)');
        await superuser.query('CHECKPOINT');
      },
      run: move,
    });
  }

  private async getStore(size: number): Promise<Store> {
    const store = this.stores.get(size) ?? (await openStore(this.setup, { ...CURRENT_BUILD, name: 'floor' }, size));
    this.stores.set(size, store);
    return store;
  }

  private async openQueue(name: string): Promise<BenchDatabase> {
    const database = await this.setup.server.createDatabase(name);
    await keepSamples(database.superuser);
    return database;
  }

  private startWorker<Task extends object, Result>(file: URL): Promise<Worker<Task, Result>> {
    return Worker.start<Task, Result>(this.setup.closing, file);
  }
}
