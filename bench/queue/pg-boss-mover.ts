import PgBoss from 'pg-boss';
import { type LoadResult, summariseMoves } from '../measure/load-result.js';
import { serveTasks } from '../processes/serve-tasks.js';
import type { MoveTask } from './move-task.js';

/** Fetches and completes batches of 100 jobs with pg-boss, without its maintenance and schedules. */
export type PgBossTask =
  | { readonly kind: 'fill'; readonly databaseUrl: string; readonly documents: number; readonly payloads: object[] }
  | (MoveTask & { readonly kind: 'move' });

const QUEUE = 'documents';
const BATCH = 100;
const INSERT_BATCH = 1_000;

serveTasks(async (task: PgBossTask): Promise<LoadResult> => {
  const boss = new PgBoss({
    connectionString: task.databaseUrl,
    max: task.kind === 'move' ? task.workers : 1,
    supervise: false,
    schedule: false,
  });
  await boss.start();
  try {
    return task.kind === 'fill' ? await fill(boss, task) : await move(boss, task);
  } finally {
    await boss.stop({ graceful: false });
  }
});

async function fill(boss: PgBoss, { documents, payloads }: PgBossTask & { kind: 'fill' }): Promise<LoadResult> {
  const startedAt = performance.now();
  await boss.createQueue(QUEUE);
  await boss.clearStorage();
  for (let first = 0; first < documents; first += INSERT_BATCH) {
    const length = Math.min(INSERT_BATCH, documents - first);
    await boss.insert(
      Array.from({ length }, (_, index) => ({ name: QUEUE, data: payloads[(first + index) % payloads.length] })),
    );
  }
  return summariseMoves(documents, [], performance.now() - startedAt);
}

async function move(boss: PgBoss, { workers, documents, secondsMax }: MoveTask): Promise<LoadResult> {
  const callsMs: number[] = [];
  let moved = 0;
  const startedAt = performance.now();
  const work = async (): Promise<void> => {
    while (moved < documents && performance.now() - startedAt < secondsMax * 1_000) {
      const beganAt = performance.now();
      const jobs = await boss.fetch(QUEUE, { batchSize: BATCH });
      if (jobs.length === 0) return;
      await boss.complete(
        QUEUE,
        jobs.map(({ id }) => id),
      );
      moved += jobs.length;
      callsMs.push(performance.now() - beganAt);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return summariseMoves(moved, callsMs, performance.now() - startedAt);
}
