/** How many documents may be submitted by when: spread over the time of the faults, so that every fault meets some. */
export class DocumentBudget {
  /** Documents that were acknowledged. */
  accepted = 0;
  private taken = 0;
  private readonly startedAt = performance.now();

  constructor(
    private total: number,
    private readonly spreadMs: number,
  ) {}

  get isSpent(): boolean {
    return this.taken >= this.total;
  }

  get isDue(): boolean {
    const share = Math.min(1, (performance.now() - this.startedAt) / this.spreadMs);
    return this.taken < this.total * share;
  }

  /** At most as many as are left. */
  take(wanted: number): number {
    const granted = Math.min(wanted, this.total - this.taken);
    this.taken += granted;
    return granted;
  }

  /** No more documents from now on. */
  close(): void {
    this.total = this.taken;
  }

  /** What was refused is submitted by somebody else. */
  giveBack(documents: number): void {
    this.taken -= documents;
  }
}
