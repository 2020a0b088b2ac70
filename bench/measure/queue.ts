import pg from 'pg';
import { createTenants } from '../database/tenants.js';
import type { BenchDatabase, BenchServer } from '../database/server.js';
import type { Closing } from '../../standalone/program.js';
import { Worker } from '../processes/worker.js';
import { checkMoved, DOCUMENTS_PER_BATCH, fillQueue, keepSamples } from '../queue/fill-queue.js';
import {
  COUNT_DELIVERIES,
  FILL_GRAPHILE,
  FORGET_CONSUMER,
  READ_JOBS,
  REGISTER_CONSUMER,
} from '../queue/fill-queue.sql.js';
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

/** The service while another session keeps an old snapshot, hence every dead row, against the service alone. */
export function snapshotContest(site: QueueSite, { secondsMax }: { secondsMax: number }): Contest {
  const content = { haveBytes: true, secondsMax };
  return {
    size: 0,
    service: serviceRun(site, { ...content, beside: (move) => besideSnapshot(site, move) }),
    floor: serviceRun(site, content),
  };
}

/** The service with a registered consumer, which is not running, against the service without one. */
export function consumerContest(site: QueueSite): Contest {
  return {
    size: 0,
    service: serviceRun(site, { haveBytes: false, beside: (move) => besideConsumer(site, move) }),
    floor: serviceRun(site, { haveBytes: false }),
  };
}

type Moving = () => Promise<LoadResult>;

interface ServiceRunOptions {
  readonly haveBytes: boolean;
  readonly secondsMax?: number;
  /** What goes on while the queue, which is filled by then, is moved. */
  readonly beside?: (move: Moving) => Promise<LoadResult>;
}

function serviceRun({ database, tenantIds, service }: QueueSite, options: ServiceRunOptions): Run {
  const { haveBytes, secondsMax = NO_LIMIT_SECONDS, beside = (move) => move() } = options;
  const { superuser, dispatcherUrl: databaseUrl } = database;
  return async (wanted) => {
    const documents = wholeBatches(wanted);
    await fillQueue(superuser, { tenantIds, documents, haveBytes });
    const result = await beside(() => service.ask({ databaseUrl, workers: WORKERS, documents, secondsMax }));
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

async function besideSnapshot({ database }: QueueSite, move: Moving): Promise<LoadResult> {
  const session = new pg.Client({ connectionString: database.ownerUrl, application_name: 'bench-snapshot' });
  await session.connect();
  try {
    await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await session.query('SELECT count(*) FROM tenant_queue');
    return await move();
  } finally {
    await session.end();
  }
}

/** @throws Error when there is not one delivery for each status that a document has passed */
async function besideConsumer({ database: { superuser } }: QueueSite, move: Moving): Promise<LoadResult> {
  await superuser.query(REGISTER_CONSUMER);
  try {
    const result = await move();
    const { rows } = await superuser.query<{ count: number }>(COUNT_DELIVERIES);
    const count = rows[0]?.count;
    if (count === 2 * result.requests) return result;
    throw new Error(`${result.requests} moved documents made ${count} deliveries, expected two of each`);
  } finally {
    await superuser.query(FORGET_CONSUMER);
  }
}

function wholeBatches(documents: number): number {
  return Math.ceil(documents / DOCUMENTS_PER_BATCH) * DOCUMENTS_PER_BATCH;
}
