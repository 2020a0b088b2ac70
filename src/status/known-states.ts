import { matches } from './status-conditions.js';

/** What the entity tag of a batch that is under way stands for. */
export interface KnownState {
  readonly entityTag: string;
  /** As `describeState` gives it. */
  readonly state: string;
  /** At `readAt`, a moment of `performance.now()`. */
  readonly ageSeconds: number;
  readonly readAt: number;
}

/**
 * What this process has read last of batches whose polls are held. A client that polls again at the end of its wait
 * comes with the same entity tag: the round of all held polls finds what has changed since, so it needs no read of its
 * batch.
 */
export class KnownStates {
  private readonly byBatch = new Map<string, KnownState>();

  constructor(private readonly capacity: number) {}

  /** @param batch a name of the batch that no other has, its tenant and environment included */
  find(batch: string, ifNoneMatch: readonly string[] | null): KnownState | undefined {
    const known = this.byBatch.get(batch);
    return known !== undefined && matches(ifNoneMatch, known.entityTag) ? known : undefined;
  }

  /**
   * Forgets the batch that was remembered first, beyond so many.
   * @returns what stands for the batch from now on: the same object while its state is the same
   */
  remember(batch: string, read: KnownState): KnownState {
    const earlier = this.byBatch.get(batch);
    const isSame = earlier?.entityTag === read.entityTag && earlier.state === read.state;
    const known = isSame ? Object.assign(earlier, read) : read;
    this.byBatch.delete(batch);
    this.byBatch.set(batch, known);
    if (this.byBatch.size > this.capacity) {
      const [oldest] = this.byBatch.keys();
      this.byBatch.delete(oldest);
    }
    return known;
  }
}
