import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Closing } from '../../standalone/program.js';
import type { StartedServer } from '../../test/support/processes.js';
import type { BenchDatabase, BenchServer } from '../database/server.js';
import type { BuildLoad } from '../measure/pairs.js';
import type { LoadResult } from '../measure/load-result.js';
import { startApi } from '../processes/service.js';
import { readCpuSeconds } from '../processes/cpu-time.js';
import { Worker } from '../processes/worker.js';
import type { MoveTask } from '../queue/move-task.js';
import { type Build, type BuildClient, startBuildClient } from './build.js';
import type { DatabaseUrls, Stored } from './build-tasks.js';

/** API of a build with its own database, whose documents its own code has stored. */
export interface StoreSite {
  /** Number of stored documents. */
  readonly size: number;
  readonly client: BuildClient;
  readonly stored: Stored;
  /** Replaced by each restart. */
  api: StartedServer;
  restart(): Promise<void>;
}

/** Queue of a build with its own database. */
export interface BuildQueue {
  readonly build: Build;
  readonly client: BuildClient;
  readonly database: BenchDatabase;
  readonly mover: Worker<MoveTask, LoadResult>;
}

export interface SiteOptions {
  readonly closing: Closing;
  readonly server: BenchServer;
  readonly build: Build;
}

export async function openStoreSite(
  { closing, server, build }: SiteOptions,
  { size, connections }: { size: number; connections: number },
): Promise<StoreSite> {
  const database = await server.createBareDatabase(`${build.name}_${size}`);
  const client = await startBuildClient(closing, build);
  const stored = await client('store', { ...toDatabaseUrls(database), documents: size });
  const launch = (): Promise<StartedServer> =>
    startApi(closing, {
      databaseUrl: database.appUrl,
      connections,
      logFile: path.join(server.directory, `${database.name}.log`),
      dist: build.dist,
      settings: build.settings,
    });
  const site: StoreSite = {
    size,
    client,
    stored,
    api: await launch(),
    restart: async () => {
      await site.api.stop();
      site.api = await launch();
    },
  };
  return site;
}

export async function openBuildQueue({ closing, server, build }: SiteOptions): Promise<BuildQueue> {
  const database = await server.createBareDatabase(`${build.name}_queue`);
  const client = await startBuildClient(closing, build);
  await client('openQueue', toDatabaseUrls(database));
  const mover = pathToFileURL(path.join(build.dist, 'bench/queue/service-mover.js'));
  return { build, client, database, mover: await Worker.start(closing, mover) };
}

function toDatabaseUrls({ ownerUrl, superuserUrl }: BenchDatabase): DatabaseUrls {
  return { ownerUrl, superuserUrl };
}

/** Adds the CPU time of a process and of PostgreSQL to the result of a run. */
export async function withCpu(
  server: BenchServer,
  processId: number,
  run: () => Promise<LoadResult>,
): Promise<BuildLoad> {
  const cpuSeconds = async (): Promise<number> =>
    (await readCpuSeconds(server.processId)) + (await readCpuSeconds(processId));
  const before = await cpuSeconds();
  const result = await run();
  return { ...result, cpuSeconds: (await cpuSeconds()) - before };
}
