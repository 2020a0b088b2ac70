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
  judgeWithSupplier,
} from './prepare-submit.js';

// A valid body of 10 MB takes less than 96 MB of heap, and the worst invalid one less than 192 MB.
const HEAP_MEGABYTES_MAX = 192;
// The most expensive body of 10 MB takes 1.6 s on an idle core, and may wait for other bodies.
const TASK_SECONDS_MAX = 20;
const WAIT_SECONDS_MAX = 60;
const RETRY_AFTER_SECONDS = 5;

/**
 * Runs the parts of a submit that need no database in worker threads, because a large body would block the event loop.
 */
@Injectable()
export class SubmitWorkers implements OnApplicationShutdown {
  readonly threads = new WorkerThreads(new URL('./submit-worker.js', import.meta.url), {
    heapMegabytesMax: HEAP_MEGABYTES_MAX,
    secondsMax: TASK_SECONDS_MAX,
  });
  /** Tenants take turns and use at most half of the threads (docs/security.md#neighbours). */
  private readonly turns = new FairSemaphore({
    capacity: THREADS_MAX,
    share: Math.ceil(THREADS_MAX / 2),
    waitMs: WAIT_SECONDS_MAX * 1_000,
  });

  /**
   * Transfers a large body to a thread, which empties `bytes`.
   * @throws HttpProtocolError (400) for malformed JSON, UnavailableError (503), NoSlotError if no thread becomes free
   */
  async prepare(bytes: Buffer, options: PrepareOptions, tenantId: string): Promise<PreparedSubmit> {
    const prepared =
      bytes.length <= SMALL_BODY_BYTES_MAX
        ? prepareSubmit(bytes, options)
        : await this.run<PreparedSubmit | Malformed>('prepare', tenantId, {
            task: [bytes, options],
            transfer: [bytes.buffer as ArrayBuffer],
          });
    if ('malformed' in prepared) throw buildMalformed(prepared.malformed);
    return prepared;
  }

  /** @throws UnavailableError (503) if the thread fails, NoSlotError if no thread becomes free */
  async judgeWithSupplier(
    documents: readonly PreparedDocument[],
    supplier: Supplier,
    tenantId: string,
  ): Promise<readonly Problem[]> {
    const bytes = documents.reduce((sum, { payload }) => sum + payload.length, 0);
    return bytes <= SMALL_BODY_BYTES_MAX
      ? judgeWithSupplier(documents, supplier)
      : this.run<readonly Problem[]>('judge', tenantId, { task: [documents, supplier] });
  }

  onApplicationShutdown(): Promise<void> {
    return this.threads.close();
  }

  private async run<Result>(
    name: string,
    tenantId: string,
    { task, transfer }: { readonly task: unknown; readonly transfer?: ArrayBuffer[] },
  ): Promise<Result> {
    try {
      return await this.turns.run(tenantId, () => this.threads.run<Result>(name, task, transfer));
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      throw new UnavailableError('large_body_not_processed', NOT_PROCESSED, RETRY_AFTER_SECONDS);
    }
  }
}

const NOT_PROCESSED =
  'The service ran out of time or memory for this body of more than 256 KB. The request was not stored or charged; retry ' +
  'with the same idempotency-key and body, or send fewer documents in each request';
