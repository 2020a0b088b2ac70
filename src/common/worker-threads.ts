import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Logger } from '@nestjs/common';
import { Piscina } from 'piscina';
import { isOutOfDescriptors } from './out-of-descriptors.js';

// Its heap is as large as that of the process: more processes serve more large bodies.
export const THREADS_MAX = 1;
// Its memory is given back then; the next task waits for a new thread.
const IDLE_MS_MAX = 10_000;
// V8 takes 48 MB for new objects otherwise, before it looks for garbage.
const YOUNG_MEGABYTES_MAX = 16;
// Work for several requests shares the cores with the event loop, which comes first.
const NICENESS = 5;

export interface WorkerLimits {
  /** Of one thread: one that takes more ends, and is replaced. */
  readonly heapMegabytesMax: number;
  /** For one task, its time in the queue included. */
  readonly secondsMax: number;
}

/** A task was not done: its thread ran out of memory or ended, or it took too long. */
export class WorkerError extends Error {}

/**
 * Runs the exported functions of a file in a separate thread, so that the event loop is free meanwhile. The
 * thread starts with the first task. What is passed and returned is copied, but for what is transferred.
 */
export class WorkerThreads {
  private readonly logger = new Logger(WorkerThreads.name);
  private pool: Piscina | null = null;
  /** Of the tasks that have no result yet. */
  private readonly failures = new Set<AbortController>();

  constructor(
    private readonly file: URL,
    private readonly limits: WorkerLimits,
  ) {}

  /** @throws WorkerError, what the function throws, or the error of a process that is out of file descriptors */
  async run<Result>(name: string, task: unknown, transfer: ArrayBuffer[] = []): Promise<Result> {
    this.pool ??= this.start();
    const failure = new AbortController();
    this.failures.add(failure);
    // A timeout inside AbortSignal.any may be garbage-collected before it fires.
    const timer = setTimeout(() => failure.abort(new Error(TIME_OVER)), this.limits.secondsMax * 1_000);
    try {
      return (await this.pool.run(task, { name, transferList: transfer, signal: failure.signal })) as Result;
    } catch (thrown) {
      const error: unknown = failure.signal.aborted ? failure.signal.reason : thrown;
      if (!isOfThread(error)) throw error;
      this.logger.error(`A worker thread has not done ${name}: ${String(error)}`);
      throw new WorkerError(`A worker thread has not done ${name}`, { cause: error });
    } finally {
      clearTimeout(timer);
      this.failures.delete(failure);
    }
  }

  /** Ends the threads. By then, no request waits for a task in progress. */
  async close(): Promise<void> {
    await this.pool?.destroy();
  }

  private start(): Piscina {
    // The heap of this thread has its limit since the start. A new thread would take the flag of the process for its own
    // limit, and `resourceLimits` would not count.
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
    // A thread has ended, or has not started, without a task. Piscina leaves the tasks that wait for it in the queue.
    pool.on('error', (error: unknown) => {
      this.logger.error(`A worker thread has ended: ${String(error)}`);
      const cause = isOutOfDescriptors(error) ? error : new Error(THREAD_ENDED, { cause: error });
      for (const failure of this.failures) failure.abort(cause);
    });
    return pool;
  }
}

const THREAD_ENDED = 'Terminating worker thread';
const TIME_OVER = `${THREAD_ENDED}: the time of its task is over`;

/** Whether the thread failed, and not the function: its time was over, its memory was used up, or it was ended. */
function isOfThread(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'AbortError' || ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')) return true;
  return /^(?:worker exited with code|Terminating worker thread)/.test(error.message);
}
