interface Limits {
  readonly running: number;
  /** Waiting at the same time, for each subject and for all together. */
  readonly waitingOfSubject: number;
  readonly waiting: number;
}

/**
 * Lets a few pieces of work run at a time, those of different subjects in turn: one with many delays itself, and
 * another by one piece.
 */
export class FairGate {
  private running = 0;
  private waitingCount = 0;
  /** In the order of their turns. */
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(
    private readonly limits: Limits,
    private readonly buildFullError: () => Error,
  ) {}

  /** @throws the error of a full gate, when too many wait already */
  async run<T>(subject: string, work: () => Promise<T>): Promise<T> {
    await this.enter(subject);
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private async enter(subject: string): Promise<void> {
    if (this.running < this.limits.running) {
      this.running += 1;
      return;
    }
    const queue = this.waiting.get(subject) ?? [];
    if (queue.length >= this.limits.waitingOfSubject || this.waitingCount >= this.limits.waiting) {
      throw this.buildFullError();
    }
    this.waitingCount += 1;
    this.waiting.set(subject, queue);
    await new Promise<void>((resolve) => queue.push(resolve));
  }

  // Who leaves hands the place over: nobody who arrives meanwhile can take it.
  private leave(): void {
    for (const [subject, queue] of this.waiting) {
      this.waiting.delete(subject);
      const next = queue.shift();
      if (next === undefined) continue;
      if (queue.length > 0) this.waiting.set(subject, queue);
      this.waitingCount -= 1;
      next();
      return;
    }
    this.running -= 1;
  }
}
