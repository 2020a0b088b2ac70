import { UnavailableError } from './errors.js';

/** A body up to this is always read, whatever else arrives. 100 documents of three lines are some 100 KB. */
export const SMALL_BODY_BYTES_MAX = 256 * 1024;

/** Bytes of larger bodies that one process has in hand, each from before its first byte is read until its answer. */
export const LARGE_BODIES_BYTES_MAX = 64 * 1024 * 1024;

// What a large body in hand may take, from its turn on.
const RETRY_AFTER_SECONDS = 2;

/** The large bodies in hand of one process: received side by side, judged and stored one after the other. */
export class LargeBodies {
  private bytes = 0;
  private lastTurn: Promise<void> = Promise.resolve();

  /** Whether there was room for so many bytes more, which are then taken; fewer than none gives back. */
  take(bytes: number): boolean {
    if (bytes > 0 && this.bytes + bytes > LARGE_BODIES_BYTES_MAX) return false;
    this.bytes += bytes;
    return true;
  }

  /** Waits until every earlier turn has ended. `ended` ends this one, when it has come or before. */
  async turn(ended: Promise<void>): Promise<void> {
    const earlier = this.lastTurn;
    this.lastTurn = earlier.then(() => ended);
    await earlier;
  }
}

/** What one body holds of the room for large ones; nothing as long as it is small. */
export class BodyShare {
  private bytes = 0;
  private isReleased = false;
  private endTurn: () => void = () => undefined;

  constructor(private readonly largeBodies: LargeBodies) {}

  get isLarge(): boolean {
    return this.bytes > 0;
  }

  /**
   * Makes the share large enough for a body of so many bytes.
   * @throws UnavailableError (503) when other bodies hold too much
   */
  growTo(bodyBytes: number): void {
    if (bodyBytes <= SMALL_BODY_BYTES_MAX || bodyBytes <= this.bytes || this.isReleased) return;
    if (!this.largeBodies.take(bodyBytes - this.bytes)) {
      throw new UnavailableError('overloaded', OVERLOADED, RETRY_AFTER_SECONDS);
    }
    this.bytes = bodyBytes;
  }

  /** Waits until no other large body is worked on; the others then wait until this share is released. */
  async turn(): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.endTurn = resolve;
    });
    await this.largeBodies.turn(ended);
  }

  /** Gives everything back; harmless when it was done before. */
  release(): void {
    this.isReleased = true;
    this.largeBodies.take(-this.bytes);
    this.bytes = 0;
    this.endTurn();
  }
}

const OVERLOADED =
  'Too many large bodies arrive at this moment, and this one was not read; retry with the same idempotency-key and body';
