import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import type { BenchTenant } from '../database/tenants.js';
import type { Mark } from '../database/written.js';
import { serveTasks } from '../processes/serve-tasks.js';
import type { BuildTask, BuildTasks, DatabaseUrls } from './build-tasks.js';

// Each build runs in a separate process, because two copies of the ORM would share their state in `globalThis`.
//
// This build requires these names, files and parameters of an earlier build. If one of them changes, builds from before
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

let opened: Opened | null = null;
let since: Mark | null = null;

const tasks: BuildTasks = {
  store: async ({ documents, ...urls }) => {
    const { superuser, tenants } = await open(urls);
    return { tenants, batches: await fill(superuser, tenants, documents) };
  },
  beginAccepting: async () => {
    since = await mark(given(opened).superuser);
  },
  endAccepting: async (expected) => {
    const { superuser, tenantIds } = given(opened);
    const begun = given(since);
    try {
      if (expected !== null) await checkWritten(superuser, { tenantIds, since: begun, expected });
    } finally {
      await removeWritten(superuser, tenantIds, begun);
      // The checkpoint flushes this run's pages, so that the next run does not have to.
      await superuser.query('CHECKPOINT');
    }
  },
  openQueue: async (urls) => keepSamples((await open(urls)).superuser),
  fillQueue: async ({ documents }) => {
    const { superuser, tenantIds } = given(opened);
    await fillQueue(superuser, { tenantIds, documents });
  },
  checkMoved: async ({ documents }) => checkMoved(given(opened).superuser, documents),
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
