import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import type { BenchTenant } from '../database/tenants.js';
import type { StoredBatch } from '../database/fill.js';
import type { Mark, Written } from '../database/written.js';
import { serveTasks } from '../processes/serve-tasks.js';

// Each build runs in a separate process, because two copies of the ORM would share their state in `globalThis`.
//
// This build requires these names, files and parameters of the compared build. If one of them changes, builds from before
// and after the change can no longer be compared.

const [dist = ''] = process.argv.slice(2);

type Fill = typeof import('../database/fill.js');
type FillQueue = typeof import('../queue/fill-queue.js');
type Migrate = typeof import('../../src/processes/migrate.js');
type Tenants = typeof import('../database/tenants.js');
type WrittenRows = typeof import('../database/written.js');

const { migrate } = await load<Migrate>('src/processes/migrate.js');
const { createTenants } = await load<Tenants>('bench/database/tenants.js');
const { fill } = await load<Fill>('bench/database/fill.js');
const { checkWritten, mark, removeWritten } = await load<WrittenRows>('bench/database/written.js');
const { checkMoved, fillQueue, keepSamples } = await load<FillQueue>('bench/queue/fill-queue.js');

interface Opened {
  readonly superuser: pg.Client;
  readonly tenants: readonly BenchTenant[];
  readonly tenantIds: readonly string[];
}

interface DatabaseUrls {
  readonly ownerUrl: string;
  readonly superuserUrl: string;
}

/** Stored documents that have an outcome. */
export interface Stored {
  readonly tenants: readonly BenchTenant[];
  readonly batches: readonly StoredBatch[];
}

export type BuildTasks = typeof tasks;

/** Message that makes this process run a task. */
export interface BuildTask {
  readonly name: keyof BuildTasks;
  readonly options: unknown;
}

let opened: Opened | null = null;
let since: Mark | null = null;

const tasks = {
  /** Creates the schema and tenants, and stores documents. */
  store: async ({ documents, ...urls }: DatabaseUrls & { documents: number }): Promise<Stored> => {
    const { superuser, tenants } = await open(urls);
    return { tenants, batches: await fill(superuser, tenants, documents) };
  },
  beginAccepting: async (): Promise<void> => {
    since = await mark(given(opened).superuser);
  },
  /** Verifies and deletes the rows written since the start. Skips the verification if the run failed. */
  endAccepting: async (expected: Written | null): Promise<void> => {
    const { superuser, tenantIds } = given(opened);
    const begun = given(since);
    try {
      if (expected !== null) await checkWritten(superuser, { tenantIds, since: begun, expected });
    } finally {
      await removeWritten(superuser, tenantIds, begun);
      // Flushes the pages of this run, so that the next run does not have to.
      await superuser.query('CHECKPOINT');
    }
  },
  /** Creates the schema and tenants of a queue, and the samples of its documents. */
  openQueue: async (urls: DatabaseUrls): Promise<void> => keepSamples((await open(urls)).superuser),
  fillQueue: async ({ documents }: { documents: number }): Promise<void> => {
    const { superuser, tenantIds } = given(opened);
    await fillQueue(superuser, { tenantIds, documents });
  },
  checkMoved: async ({ documents }: { documents: number }): Promise<void> =>
    checkMoved(given(opened).superuser, documents),
};

serveTasks(async ({ name, options }: BuildTask) => (tasks[name] as (options: unknown) => Promise<unknown>)(options));

async function load<Module>(file: string): Promise<Module> {
  return (await import(pathToFileURL(path.join(dist, file)).href)) as Module;
}

async function open({ ownerUrl, superuserUrl }: DatabaseUrls): Promise<Opened> {
  await migrate(ownerUrl);
  const superuser = new pg.Client({ connectionString: superuserUrl, application_name: 'einvoice-bench' });
  // If the connection is lost, the next statement fails.
  superuser.on('error', () => undefined);
  await superuser.connect();
  const tenants = await createTenants(superuser);
  opened = { superuser, tenants, tenantIds: tenants.map(({ tenantId }) => tenantId) };
  return opened;
}

/** @throws Error if a task runs before the task that it depends on */
function given<T>(value: T | null): T {
  if (value === null) throw new Error('The build has no database yet');
  return value;
}
