import { ControlError } from './errors.js';

const pageMax = 10_000;

/**
 * A log that is read in pages by sequence number, from 1. It keeps its latest entries: a simulator may run for weeks.
 */
export class SequencedLog<Entry> {
  private readonly entries: (Entry & { sequence: number })[] = [];

  constructor(
    private readonly entriesMax: number,
    private forgotten = 0,
  ) {}

  append(entry: Entry): void {
    this.entries.push({ sequence: this.forgotten + this.entries.length + 1, ...entry });
    // In slices, because taking from the front of a list moves all the rest of it.
    const excess = this.entries.length - this.entriesMax;
    if (excess > this.entriesMax / 10) this.forgotten += this.entries.splice(0, excess).length;
  }

  /**
   * The entries behind a sequence number, at most 10,000.
   * @throws ControlError when some of them are forgotten: a reader that counts must not miss any without a word
   */
  after(sequence: number): readonly (Entry & { sequence: number })[] {
    if (sequence < this.forgotten) {
      throw new ControlError(
        `The entries up to ${this.forgotten} are forgotten; the latest ${this.entriesMax} are kept. Read on with after=${this.forgotten}.`,
      );
    }
    return this.entries.slice(sequence - this.forgotten, sequence - this.forgotten + pageMax);
  }

  /** The latest entries, the oldest of them first. */
  latest(count: number): readonly (Entry & { sequence: number })[] {
    return this.entries.slice(-count);
  }

  /** How many were before those that are kept. */
  forgottenCount(): number {
    return this.forgotten;
  }

  /** Those that are kept, the oldest first. */
  all(): readonly (Entry & { sequence: number })[] {
    return this.entries;
  }
}
