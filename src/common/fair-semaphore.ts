/** What is shared out, and how a caller may wait for its part; without limits of the wait it waits until it gets one. */
export interface SlotLimits {
  /** Slots in all. */
  readonly capacity: number;
  /** Slots that one holder has at most; at least 1. */
  readonly share: number;
  /** Callers of one holder that wait at the same time, at most. */
  readonly queueMax?: number;
  /** Callers of all holders that wait at the same time, at most. */
  readonly queuesMax?: number;
  readonly waitMs?: number;
}

/** A slot did not become free in time; nothing was done. */
export class NoSlotError extends Error {
  /** @param isShareUsed whether the holder's own share was in use; otherwise others hold the slots */
  constructor(readonly isShareUsed: boolean) {
    super(isShareUsed ? 'The share of this holder is in use' : 'All slots are in use');
    this.name = 'NoSlotError';
  }
}

type Grant = () => void;

/**
 * Slots that holders share, such as the tenants of a process: no holder has more than its share, and those who wait get
 * free slots in turn, one for each holder, however many wait for it.
 */
export class FairSemaphore {
  private used = 0;
  private waitingCount = 0;
  private readonly usedBy = new Map<string, number>();
  /** Who waits, by holder, each in the order of arrival. */
  private readonly waiting = new Map<string, Set<Grant>>();
  /** Holders that wait below their share, in the order of their turns. Empty while a slot is free. */
  private readonly turns = new Set<string>();

  constructor(private readonly limits: SlotLimits) {}

  get inUse(): number {
    return this.used;
  }

  /** Does the work in a slot of the holder. @throws NoSlotError when none became free in time */
  async run<T>(holder: string, work: () => Promise<T>): Promise<T> {
    if (!this.tryAcquire(holder)) await this.wait(holder);
    try {
      return await work();
    } finally {
      this.release(holder);
    }
  }

  /** Takes a slot, which is to be given back. @throws NoSlotError when none became free in time */
  async acquire(holder: string): Promise<void> {
    if (!this.tryAcquire(holder)) await this.wait(holder);
  }

  /** Takes a slot if one is free. It passes by no one: while others could take it, none is free. */
  tryAcquire(holder: string): boolean {
    if (this.used >= this.limits.capacity || !this.isBelowShare(holder)) return false;
    this.take(holder);
    return true;
  }

  /** Gives a slot back, to who is next. */
  release(holder: string): void {
    const left = (this.usedBy.get(holder) ?? 0) - 1;
    if (left < 0) throw new Error('A slot was given back that was not taken');
    this.used -= 1;
    if (left === 0) this.usedBy.delete(holder);
    else this.usedBy.set(holder, left);
    if (this.waiting.has(holder)) this.turns.add(holder);
    for (const next of this.turns) {
      if (this.used >= this.limits.capacity) return;
      this.grant(next);
    }
  }

  private wait(holder: string): Promise<void> {
    const { queueMax = Infinity, queuesMax = Infinity, waitMs } = this.limits;
    const queue = this.waiting.get(holder) ?? new Set();
    const isFull = queue.size >= queueMax || this.waitingCount >= queuesMax;
    if (isFull) return Promise.reject(new NoSlotError(!this.isBelowShare(holder)));
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.leave(holder, queue, grant);
        reject(new NoSlotError(!this.isBelowShare(holder)));
      };
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
      const grant = (): void => {
        clearTimeout(timer);
        resolve();
      };
      queue.add(grant);
      this.waitingCount += 1;
      this.waiting.set(holder, queue);
      if (this.isBelowShare(holder)) this.turns.add(holder);
    });
  }

  /** To the first who waits for this holder, whose next turn comes after those of the others. */
  private grant(holder: string): void {
    const queue = this.waiting.get(holder) ?? new Set();
    const [first] = queue;
    this.take(holder);
    this.leave(holder, queue, first);
    if (this.turns.delete(holder) && this.isBelowShare(holder)) this.turns.add(holder);
    first();
  }

  private leave(holder: string, queue: Set<Grant>, grant: Grant): void {
    queue.delete(grant);
    this.waitingCount -= 1;
    if (queue.size > 0) return;
    this.waiting.delete(holder);
    this.turns.delete(holder);
  }

  private take(holder: string): void {
    this.used += 1;
    this.usedBy.set(holder, (this.usedBy.get(holder) ?? 0) + 1);
  }

  private isBelowShare(holder: string): boolean {
    return (this.usedBy.get(holder) ?? 0) < this.limits.share;
  }
}
