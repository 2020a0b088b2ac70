import { setImmediate } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { FairSemaphore } from '../common/fair-semaphore.js';
import { THREADS_MAX, WorkerError, WorkerThreads } from '../common/worker-threads.js';
import type { Supplier } from '../documents/simplified-document.js';
import { UnavailableError } from '../errors/api-error.js';
import type { Problem } from '../errors/problem.js';
import { buildMalformed } from '../http/json-body.js';
import { SMALL_BODY_BYTES_MAX } from '../http/large-bodies.js';
import {
  type Malformed,
  type PreparedDocument,
  type PreparedSubmit,
  type PrepareOptions,
  prepareSubmit,
} from './prepare-submit.js';
import { judgeWithSupplier } from './supplier-rules.js';

// 10 MB that keep the rules take less than 96 MB, the worst that do not less than 192.
const HEAP_MEGABYTES_MAX = 192;
// The costliest body of 10 MB takes 1.6 s on a free core. Others wait for the only thread meanwhile.
const TASK_SECONDS_MAX = 20;
// The room for large bodies bounds how many wait for each other.
const WAIT_SECONDS_MAX = 60;
const RETRY_AFTER_SECONDS = 5;
// A millisecond of work.
const QUICK_BODY_BYTES_MAX = 8 * 1_024;

interface Work {
  /** Whose body it is, for its turn. */
  readonly tenantId: string;
  readonly task: unknown;
  readonly transfer?: ArrayBuffer[];
}

/**
 * The work on submit bodies that needs no database: here for small ones, in a worker thread for all others, which would
 * keep every other request waiting (docs/decisions/0083-large-bodies-in-worker-threads.md).
 */
@Injectable()
export class SubmitWorkers implements OnApplicationShutdown {
  readonly threads = new WorkerThreads(new URL('./submit-worker.js', import.meta.url), {
    heapMegabytesMax: HEAP_MEGABYTES_MAX,
    secondsMax: TASK_SECONDS_MAX,
  });
  /** Half of the threads for one organisation; those that wait take turns (docs/security.md#neighbours). */
  private readonly turns = new FairSemaphore({
    capacity: THREADS_MAX,
    share: Math.ceil(THREADS_MAX / 2),
    waitMs: WAIT_SECONDS_MAX * 1_000,
  });
  /** Of the event loop, for bodies that are neither quick nor large: one in each of its rounds, organisations in turn. */
  private readonly rounds = new FairSemaphore({ capacity: 1, share: 1 });

  /**
   * @param bytes of a body; those of a large one are gone afterwards
   * @throws HttpProtocolError (400) when they are not JSON, UnavailableError (503), NoSlotError when no thread becomes free
   */
  async prepare(bytes: Buffer, options: PrepareOptions, tenantId: string): Promise<PreparedSubmit> {
    const prepared = await this.prepareWhere(bytes, options, tenantId);
    if ('malformed' in prepared) throw buildMalformed(prepared.malformed);
    return prepared;
  }

  /** @throws UnavailableError (503), NoSlotError when no thread becomes free */
  async judgeWithSupplier(
    documents: readonly PreparedDocument[],
    supplier: Supplier,
    tenantId: string,
  ): Promise<readonly Problem[]> {
    const bytes = documents.reduce((sum, { payload }) => sum + payload.length, 0);
    return bytes <= SMALL_BODY_BYTES_MAX
      ? judgeWithSupplier(documents, supplier)
      : this.run<readonly Problem[]>('judge', { tenantId, task: [documents, supplier] });
  }

  onApplicationShutdown(): Promise<void> {
    return this.threads.close();
  }

  private prepareWhere(
    bytes: Buffer,
    options: PrepareOptions,
    tenantId: string,
  ): PreparedSubmit | Malformed | Promise<PreparedSubmit | Malformed> {
    if (bytes.length <= QUICK_BODY_BYTES_MAX) return prepareSubmit(bytes, options);
    if (bytes.length > SMALL_BODY_BYTES_MAX) {
      return this.run('prepare', { tenantId, task: [bytes, options], transfer: [bytes.buffer as ArrayBuffer] });
    }
    return this.rounds.run(tenantId, async () => {
      await setImmediate();
      return prepareSubmit(bytes, options);
    });
  }

  private async run<Result>(name: string, { tenantId, task, transfer }: Work): Promise<Result> {
    try {
      return await this.turns.run(tenantId, () => this.threads.run<Result>(name, task, transfer));
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      throw new UnavailableError('large_body_not_processed', NOT_PROCESSED, RETRY_AFTER_SECONDS);
    }
  }
}

const NOT_PROCESSED =
  'The service ran out of time or memory for this body of more than 256 KB, and nothing was stored or charged; retry ' +
  'with the same idempotency-key and body, or send fewer documents in each request';
