import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Logger } from '@nestjs/common';
import { Piscina } from 'piscina';
import { isOutOfDescriptors } from './out-of-descriptors.js';

// Scale by adding processes instead of threads, because the heap of a thread is as large as that of a process.
export const THREADS_MAX = 1;
const IDLE_MS_MAX = 10_000;
// V8 would reserve 48 MB for new objects by default.
const YOUNG_MEGABYTES_MAX = 16;
// Gives the event loop priority over the threads.
const NICENESS = 5;

export interface WorkerLimits {
  readonly heapMegabytesMax: number;
  readonly secondsMax: number;
}

export class WorkerError extends Error {}

/** Runs exported functions of a file in a separate thread. Arguments are copied unless they are transferred. */
export class WorkerThreads {
  private readonly logger = new Logger(WorkerThreads.name);
  private pool: Piscina | null = null;
  private readonly failures = new Set<AbortController>();

  constructor(
    private readonly file: URL,
    private readonly limits: WorkerLimits,
  ) {}

  /** @throws WorkerError if the thread fails, or the error of the function */
  async run<Result>(name: string, task: unknown, transfer: ArrayBuffer[] = []): Promise<Result> {
    this.pool ??= this.start();
    const failure = new AbortController();
    this.failures.add(failure);
    // `AbortSignal.timeout` inside `AbortSignal.any` may be garbage-collected before it fires.
    const timer = setTimeout(() => failure.abort(new Error(TIME_OVER)), this.limits.secondsMax * 1_000);
    try {
      return (await this.pool.run(task, { name, transferList: transfer, signal: failure.signal })) as Result;
    } catch (thrown) {
      const error: unknown = failure.signal.aborted ? failure.signal.reason : thrown;
      if (!isOfThread(error)) throw error;
      this.logger.error(`A worker thread did not complete ${name}: ${String(error)}`);
      throw new WorkerError(`A worker thread did not complete ${name}`, { cause: error });
    } finally {
      clearTimeout(timer);
      this.failures.delete(failure);
    }
  }

  /** Terminates the threads. No caller may still be waiting for a task. */
  async close(): Promise<void> {
    await this.pool?.destroy();
  }

  private start(): Piscina {
    // The process flag would override `resourceLimits` of new threads. The main thread keeps its heap limit.
    setFlagsFromString('--max-old-space-size=0');
    const pool = new Piscina({
      filename: fileURLToPath(this.file),
      minThreads: 0,
      maxThreads: THREADS_MAX,
      idleTimeout: IDLE_MS_MAX,
      niceIncrement: NICENESS,
      resourceLimits: {
        maxOldGenerationSizeMb: this.limits.heapMegabytesMax,
        maxYoungGenerationSizeMb: YOUNG_MEGABYTES_MAX,
      },
    });
    // Piscina keeps the tasks of a failed thread in its queue, so this handler aborts them.
    pool.on('error', (error: unknown) => {
      this.logger.error(`A worker thread ended unexpectedly: ${String(error)}`);
      const cause = isOutOfDescriptors(error) ? error : new Error(THREAD_ENDED, { cause: error });
      for (const failure of this.failures) failure.abort(cause);
    });
    return pool;
  }
}

const THREAD_ENDED = 'Terminating worker thread';
const TIME_OVER = `${THREAD_ENDED}: the time of its task is over`;

function isOfThread(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'AbortError' || ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')) return true;
  return /^(?:worker exited with code|Terminating worker thread)/.test(error.message);
}
