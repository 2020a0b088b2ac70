import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { FairSemaphore } from '../common/fair-semaphore.js';

/** Concurrent downloads per process. One organisation, or all operators together, may use half of them. */
const FILES_MAX = 4;
const FILE_WAIT_MS = 5_000;
/** Aborts a download if its client reads nothing for this long, because other callers wait for its slot. */
const READER_IDLE_MS = 30_000;

/** Slot owner of the operators' downloads. */
export const OPERATORS = 'operators';

const slots = new FairSemaphore({ capacity: FILES_MAX, share: FILES_MAX / 2, waitMs: FILE_WAIT_MS, queueMax: 20 });

export interface StreamedFile {
  /** Slot owner: a tenant id or OPERATORS. */
  readonly holder: string;
  readonly name: string;
  readonly type: string;
}

/** Aborts a download when its client stops reading. The timer does not run while the service creates the next part. */
export class ReaderClock {
  private idle: NodeJS.Timeout | undefined;
  private isMaking = false;
  private content: Readable | null = null;
  private readonly runInRequest = AsyncLocalStorage.snapshot();

  start(content: Readable): void {
    this.content = content;
    this.restart();
  }

  restart(): void {
    clearTimeout(this.idle);
    if (this.content === null || this.content.destroyed || this.isMaking) return;
    const error = new Error('The reader of a file has stopped reading');
    this.idle = setTimeout(() => void this.content?.destroy(error), READER_IDLE_MS);
  }

  /** Creates the next part in the async context of the request, so that its database transactions confirm access. */
  makePart<Part>(make: () => Promise<Part>): Promise<Part> {
    this.restart();
    return this.runInRequest(make);
  }

  /** Yields the entries and pauses the timer while an entry is created. */
  async *pauseWhileMade<Entry>(entries: AsyncGenerator<Entry>): AsyncGenerator<Entry> {
    try {
      for (;;) {
        this.isMaking = true;
        this.stop();
        const next = await entries.next();
        this.isMaking = false;
        this.restart();
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await entries.return(undefined);
    }
  }

  stop(): void {
    clearTimeout(this.idle);
  }
}

/**
 * Acquires a slot and responds with a stream.
 * @param open creates the content before the response starts, so that its errors become error responses
 * @throws NoSlotError if no slot is released in time
 */
export async function streamFile(
  { holder, name, type }: StreamedFile,
  open: (clock: ReaderClock) => Promise<Readable>,
): Promise<StreamableFile> {
  await slots.acquire(holder);
  const clock = new ReaderClock();
  const content = await open(clock).catch((error: unknown) => {
    slots.release(holder);
    throw error;
  });
  clock.start(content);
  content.once('close', () => {
    clock.stop();
    slots.release(holder);
  });
  return new StreamableFile(content, { type, disposition: `attachment; filename="${name}"` });
}
