import { createTenants } from '../database/tenants.js';
import type { BenchDatabase, BenchServer } from '../database/server.js';
import type { Closing } from '../../standalone/program.js';
import { Worker } from '../processes/worker.js';
import { checkMoved, DOCUMENTS_PER_BATCH, fillQueue, keepSamples } from '../queue/fill-queue.js';
import { FILL_GRAPHILE, READ_JOBS } from '../queue/fill-queue.sql.js';
import type { MoveTask } from '../queue/move-task.js';
import type { PgBossTask } from '../queue/pg-boss-mover.js';
import type { LoadResult } from './load-result.js';
import type { Contest, Run } from './rounds.js';

/** Claims under way at the same time, on every side. */
const WORKERS = 4;
const NO_LIMIT_SECONDS = 120;

/** A database whose documents are moved by the dispatcher's claim and settle, and by two job queues for comparison. */
export interface QueueSite {
  readonly database: BenchDatabase;
  readonly tenantIds: readonly string[];
  /** What jobs carry, in turn: what is built when it is claimed, and what is ready to be sent. */
  readonly jobs: readonly { readonly payload: object; readonly document: object }[];
  readonly service: Worker<MoveTask, LoadResult>;
  readonly pgBoss: Worker<PgBossTask, LoadResult>;
  readonly graphile: Worker<MoveTask, LoadResult>;
}

export async function openQueueSite(closing: Closing, server: BenchServer): Promise<QueueSite> {
  const database = await server.createDatabase('queue');
  const tenants = await createTenants(database.superuser);
  await keepSamples(database.superuser);
  const { rows: jobs } = await database.superuser.query<{ payload: object; document: object }>(READ_JOBS);
  const graphile = await Worker.start<MoveTask, LoadResult>(
    closing,
    new URL('../queue/graphile-mover.js', import.meta.url),
  );
  await graphile.ask({ databaseUrl: database.ownerUrl, workers: 1, documents: 0, secondsMax: 0 });
  return {
    database,
    tenantIds: tenants.map(({ tenantId }) => tenantId),
    jobs,
    service: await Worker.start(closing, new URL('../queue/service-mover.js', import.meta.url)),
    pgBoss: await Worker.start(closing, new URL('../queue/pg-boss-mover.js', import.meta.url)),
    graphile,
  };
}

/**
 * The service against pg-boss in batches of 100; both hand out the same: payloads to build from, or built documents.
 */
export function pgBossContest(site: QueueSite, content: { haveBytes: boolean }): Contest {
  return { size: 0, service: serviceRun(site, content), floor: pgBossRun(site, content) };
}

/** The service against graphile-worker as it is by default. */
export function graphileContest(site: QueueSite): Contest {
  return { size: 0, service: serviceRun(site, { haveBytes: false }), floor: graphileRun(site) };
}

function serviceRun({ database, tenantIds, service }: QueueSite, { haveBytes }: { haveBytes: boolean }): Run {
  const { superuser, dispatcherUrl: databaseUrl } = database;
  return async (wanted) => {
    const documents = wholeBatches(wanted);
    await fillQueue(superuser, { tenantIds, documents, haveBytes });
    const result = await service.ask({ databaseUrl, workers: WORKERS, documents, secondsMax: NO_LIMIT_SECONDS });
    await checkMoved(superuser, result.requests);
    return result;
  };
}

function pgBossRun({ database, jobs, pgBoss }: QueueSite, { haveBytes }: { haveBytes: boolean }): Run {
  const databaseUrl = database.ownerUrl;
  const payloads = jobs.map(({ payload, document }) => (haveBytes ? document : payload));
  return async (documents) => {
    await pgBoss.ask({ kind: 'fill', databaseUrl, documents, payloads });
    await database.superuser.query('VACUUM (ANALYZE)');
    await database.superuser.query('CHECKPOINT');
    const task = { databaseUrl, workers: WORKERS, documents, secondsMax: NO_LIMIT_SECONDS };
    return pgBoss.ask({ kind: 'move', ...task });
  };
}

function graphileRun({ database, graphile }: QueueSite): Run {
  return async (documents) => {
    await database.superuser.query(FILL_GRAPHILE, [documents]);
    await database.superuser.query('VACUUM (ANALYZE)');
    await database.superuser.query('CHECKPOINT');
    const task = { databaseUrl: database.ownerUrl, workers: WORKERS, documents, secondsMax: NO_LIMIT_SECONDS };
    return graphile.ask(task);
  };
}

function wholeBatches(documents: number): number {
  return Math.ceil(documents / DOCUMENTS_PER_BATCH) * DOCUMENTS_PER_BATCH;
}
