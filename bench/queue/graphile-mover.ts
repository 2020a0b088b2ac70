import { EventEmitter } from 'node:events';
import { Logger, run, type WorkerEvents } from 'graphile-worker';
import pg from 'pg';
import { type LoadResult, summariseMoves } from '../measure/load-result.js';
import { serveTasks } from '../processes/serve-tasks.js';
import type { MoveTask } from './move-task.js';

/**
 * Runs graphile-worker with its defaults and an empty task: one statement to get each job and one to complete it. Only
 * creates the schema if there are no documents.
 */
serveTasks(async ({ databaseUrl, workers, documents, secondsMax }: MoveTask): Promise<LoadResult> => {
  const pgPool = new pg.Pool({ connectionString: databaseUrl, max: workers + 1 });
  const events: WorkerEvents = new EventEmitter();
  const begunAt = new Map<string, number>();
  const jobsMs: number[] = [];
  // Measures from the start of the first job, excluding the startup of the runner.
  let startedAt: number | null = null;
  const ended = new Promise<void>((resolve) => {
    if (documents === 0) resolve();
    events.on('job:start', ({ job }) => {
      if (startedAt === null) setTimeout(resolve, secondsMax * 1_000).unref();
      startedAt ??= performance.now();
      begunAt.set(job.id, performance.now());
    });
    events.on('job:complete', ({ job }) => {
      jobsMs.push(performance.now() - (begunAt.get(job.id) ?? 0));
      begunAt.delete(job.id);
      if (jobsMs.length === documents) resolve();
    });
  });
  const runner = await run({
    pgPool,
    concurrency: workers,
    noHandleSignals: true,
    taskList: { document: () => undefined },
    logger: new Logger(() => () => undefined),
    events,
  });
  await ended;
  const result = summariseMoves(jobsMs.length, [...jobsMs], performance.now() - (startedAt ?? 0));
  await runner.stop();
  await pgPool.end();
  return result;
});
