import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { FairSemaphore } from '../common/fair-semaphore.js';

/** Files that a process writes at the same time; half of them for one organisation, or for the operators. */
const FILES_MAX = 4;
const FILE_WAIT_MS = 5_000;
/** A file whose reader takes nothing for this long is aborted, because others wait for its slot. */
const READER_IDLE_MS = 30_000;

/** The holder of the operators' files. */
export const OPERATORS = 'operators';

const slots = new FairSemaphore({ capacity: FILES_MAX, share: FILES_MAX / 2, waitMs: FILE_WAIT_MS, queueMax: 20 });

export interface StreamedFile {
  /** Whose file it is, for its share of those that are written at the same time. */
  readonly holder: string;
  readonly name: string;
  readonly type: string;
}

/** Gives a file up whose reader takes nothing for too long; what the service itself takes to make a part is not counted. */
export class ReaderClock {
  private idle: NodeJS.Timeout | undefined;
  private isMaking = false;
  private content: Readable | null = null;
  private readonly runInRequest = AsyncLocalStorage.snapshot();

  /** From here on the reader is waited for. */
  start(content: Readable): void {
    this.content = content;
    this.restart();
  }

  /** The reader has taken a part. */
  restart(): void {
    clearTimeout(this.idle);
    if (this.content === null || this.content.destroyed || this.isMaking) return;
    const error = new Error('The reader of a file has stopped reading');
    this.idle = setTimeout(() => void this.content?.destroy(error), READER_IDLE_MS);
  }

  /**
   * Makes the next part once the reader has taken the previous one. A stream loses the async context of its request;
   * this restores it, so that the database transactions of the part confirm the access.
   */
  makePart<Part>(make: () => Promise<Part>): Promise<Part> {
    this.restart();
    return this.runInRequest(make);
  }

  /** The same entries; the reader is not waited for while one is made. */
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
 * A file that is written while it is read.
 * @param open makes its content; what it throws is a response, not a broken file
 * @throws NoSlotError when none of the files under way ends in time
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
