import { ControlError } from './errors.js';

const pageMax = 10_000;

/** Log with sequence numbers starting at 1. It deletes old entries because a simulator may run for weeks. */
export class SequencedLog<Entry> {
  private readonly entries: (Entry & { sequence: number })[] = [];

  constructor(
    private readonly entriesMax: number,
    private forgotten = 0,
  ) {}

  append(entry: Entry): void {
    this.entries.push({ sequence: this.forgotten + this.entries.length + 1, ...entry });
    // Deletes in batches, because each deletion at the front of an array moves all other entries.
    const excess = this.entries.length - this.entriesMax;
    if (excess > this.entriesMax / 10) this.forgotten += this.entries.splice(0, excess).length;
  }

  /**
   * Returns up to 10,000 entries after a sequence number.
   * @throws ControlError if some of them were deleted, because a reader that counts must notice the gap
   */
  after(sequence: number): readonly (Entry & { sequence: number })[] {
    if (sequence < this.forgotten) {
      throw new ControlError(
        `The entries up to ${this.forgotten} were deleted; the latest ${this.entriesMax} are kept. ` +
          `Continue with after=${this.forgotten}.`,
      );
    }
    return this.entries.slice(sequence - this.forgotten, sequence - this.forgotten + pageMax);
  }

  /** Returns the latest entries, oldest first. */
  latest(count: number): readonly (Entry & { sequence: number })[] {
    return this.entries.slice(-count);
  }

  /** Returns the number of deleted entries. */
  forgottenCount(): number {
    return this.forgotten;
  }

  /** Returns all stored entries, oldest first. */
  all(): readonly (Entry & { sequence: number })[] {
    return this.entries;
  }
}
