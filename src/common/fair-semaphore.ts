export interface SlotLimits {
  readonly capacity: number;
  readonly share: number;
  readonly queueMax?: number;
  readonly queuesMax?: number;
  readonly waitMs?: number;
}

/** No slot became free in time. The work was not started. */
export class NoSlotError extends Error {
  /** @param isShareUsed whether the holder's own share is in use; otherwise others hold the slots */
  constructor(readonly isShareUsed: boolean) {
    super(isShareUsed ? 'The share of this holder is in use' : 'All slots are in use');
    this.name = 'NoSlotError';
  }
}

type Grant = () => void;

/** A semaphore with a maximum share per holder, such as a tenant. Waiting holders take turns. */
export class FairSemaphore {
  private used = 0;
  private waitingCount = 0;
  private readonly usedBy = new Map<string, number>();
  private readonly waiting = new Map<string, Set<Grant>>();
  /** Waiting holders below their share, in turn order. Empty while a slot is free. */
  private readonly turns = new Set<string>();

  constructor(private readonly limits: SlotLimits) {}

  get inUse(): number {
    return this.used;
  }

  async run<T>(holder: string, work: () => Promise<T>): Promise<T> {
    if (!this.tryAcquire(holder)) await this.wait(holder);
    try {
      return await work();
    } finally {
      this.release(holder);
    }
  }

  /** Acquires a slot; the caller must call `release`. @throws NoSlotError if no slot becomes free in time */
  async acquire(holder: string): Promise<void> {
    if (!this.tryAcquire(holder)) await this.wait(holder);
  }

  /** Acquires a slot only if one is free. Callers wait only while no slot is free, so this overtakes none of them. */
  tryAcquire(holder: string): boolean {
    if (this.used >= this.limits.capacity || !this.isBelowShare(holder)) return false;
    this.take(holder);
    return true;
  }

  release(holder: string): void {
    const left = (this.usedBy.get(holder) ?? 0) - 1;
    if (left < 0) throw new Error('A slot was released that was not acquired');
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

  /** Grants a slot to the first waiting caller of the holder and moves the holder to the end of the turn order. */
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
