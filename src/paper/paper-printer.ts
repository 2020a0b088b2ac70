import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { FairSemaphore } from '../common/fair-semaphore.js';
import { THREADS_MAX, WorkerError, WorkerThreads } from '../common/worker-threads.js';
import { UnavailableError } from '../errors/api-error.js';
import type { Environment } from '../config/environment.js';

// Fits two parsed fonts of 8 MB and the pages of one document.
const HEAP_MEGABYTES_MAX = 256;
// The first document of a thread takes two seconds, as long as a long document.
const SECONDS_MAX = 60;
const RETRY_AFTER_SECONDS = 30;

/**
 * Prints documents in a worker thread, because a PDF of 96 lines would block the event loop for 1.2 s. Organisations
 * take turns, so that the monthly download of one does not delay a single document of another.
 */
@Injectable()
export class PaperPrinter implements OnApplicationShutdown {
  private readonly threads = new WorkerThreads(new URL('./paper-worker.js', import.meta.url), {
    heapMegabytesMax: HEAP_MEGABYTES_MAX,
    secondsMax: SECONDS_MAX,
  });
  private readonly turns = new FairSemaphore({
    capacity: THREADS_MAX,
    share: THREADS_MAX,
    waitMs: SECONDS_MAX * 1_000,
  });

  /** @throws UnavailableError (503), or NoSlotError if the thread stays busy too long */
  async print(paper: Paper, tenantId: string): Promise<Buffer> {
    try {
      const pdf = await this.turns.run(tenantId, () => this.threads.run<Uint8Array>('print', paper));
      return Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength);
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      throw new UnavailableError('service_unavailable', NOT_PRINTED, RETRY_AFTER_SECONDS);
    }
  }

  onApplicationShutdown(): Promise<void> {
    return this.threads.close();
  }
}

const NOT_PRINTED = 'The service ran out of time or memory for this PDF; open it again later';

export interface Paper {
  /** The exact bytes that the authority validated. */
  readonly bytes: Uint8Array;
  readonly environment: Environment;
  readonly uuid: string;
  /** Public page of the document at the authority, used for the QR code. */
  readonly validationUrl: string;
  readonly validatedAt: Date;
  readonly isCancelled: boolean;
  /** Also null if the authority did not state the time. */
  readonly cancelledAt: Date | null;
}
