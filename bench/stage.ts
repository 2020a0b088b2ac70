import path from 'node:path';
import type { Closing } from '../standalone/program.js';
import type { StartedServer } from '../test/support/processes.js';
import { fill, type StoredBatch } from './database/fill.js';
import type { BenchDatabase, BenchServer } from './database/server.js';
import { type BenchTenant, createTenants } from './database/tenants.js';
import type { AcceptFloorTask } from './floors/accept-floor.js';
import type { StatusFloorTask } from './floors/status-floor.js';
import type { LoadTask } from './load/load.js';
import type { LoadResult } from './measure/load-result.js';
import type { Options } from './options.js';
import { startApi } from './processes/service.js';
import { Worker } from './processes/worker.js';

/** What the benchmarks over HTTP work with, running: one database and one API for each number of stored documents. */
export interface Stage {
  readonly connections: number;
  readonly load: Worker<LoadTask, LoadResult>;
  readonly acceptFloor: Worker<AcceptFloorTask, LoadResult>;
  readonly sites: readonly Site[];
}

export interface Site {
  /** Documents stored. */
  readonly size: number;
  readonly database: BenchDatabase;
  readonly tenants: readonly BenchTenant[];
  readonly batches: readonly StoredBatch[];
  readonly api: StartedServer;
  readonly statusFloor: Worker<StatusFloorTask, { url: string }>;
}

export async function setUp(
  closing: Closing,
  server: BenchServer,
  { sizes, connections, progress }: Options & { readonly progress: (text: string) => void },
): Promise<Stage> {
  const sites: Site[] = [];
  for (const size of sizes) {
    const startedAt = performance.now();
    const database = await server.createDatabase(`stored_${size}_${sites.length}`);
    const tenants = await createTenants(database.superuser);
    const batches = await fill(database.superuser, tenants, size);
    progress(`${size} documents stored in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    const statusFloor = await Worker.start<StatusFloorTask, { url: string }>(
      closing,
      new URL('./floors/status-floor.js', import.meta.url),
    );
    const api = await startApi(closing, {
      databaseUrl: database.appUrl,
      connections,
      logFile: path.join(server.directory, `${database.name}.log`),
    });
    sites.push({ size, database, tenants, batches, statusFloor, api });
  }
  return {
    connections,
    sites,
    load: await Worker.start(closing, new URL('./load/load.js', import.meta.url)),
    acceptFloor: await Worker.start(closing, new URL('./floors/accept-floor.js', import.meta.url)),
  };
}
