import type { Closing } from '../../standalone/program.js';
import type { BenchServer } from '../database/server.js';
import type { LoadTask } from '../load/load.js';
import type { BenchmarkName } from '../options.js';
import { readCpuSeconds } from '../processes/cpu-time.js';
import type { Worker } from '../processes/worker.js';
import type { LoadResult } from './load-result.js';
import type { Side } from './pairs.js';

/** PostgreSQL server and load generator that all contenders share. */
export interface Setup {
  readonly closing: Closing;
  readonly server: BenchServer;
  readonly load: Worker<LoadTask, LoadResult>;
  readonly connections: number;
}

/** A build of the service, or the floors and job queues that it is compared with. */
export interface Contender {
  /** Returns the name of the contender in the table of a benchmark. */
  nameIn(benchmark: BenchmarkName): string;
  /** Accepts batches in a database with `size` stored documents. */
  accept(size: number, documentsPerBatch: number): Promise<Side>;
  readStatus(size: number): Promise<Side>;
  moveQueue(benchmark: 'queue-batch' | 'queue-single'): Promise<Side>;
}

export const CLAIMS = 4;
export const MOVE_SECONDS_MAX = 120;

/** Process of a side, which is measured and restarted. */
interface Measured {
  readonly processId: number;
  restart(): Promise<unknown>;
}

/** Builds a side that also measures the CPU time of its process and of PostgreSQL. */
export function measuredSide(
  { server }: Setup,
  getProcess: () => Measured,
  { run, ...around }: Pick<Side, 'begin' | 'end'> & { run: (requests: number) => Promise<LoadResult> },
): Side {
  const readCpu = async (): Promise<number> =>
    (await readCpuSeconds(server.processId)) + (await readCpuSeconds(getProcess().processId));
  return {
    ...around,
    run: async (requests) => {
      const before = await readCpu();
      const result = await run(requests);
      return { ...result, cpuSeconds: (await readCpu()) - before };
    },
    restart: async () => void (await getProcess().restart()),
  };
}

export const NOTHING_AROUND: Pick<Side, 'begin' | 'end'> = {
  begin: () => Promise.resolve(),
  end: () => Promise.resolve(),
};
