/** Spreads the documents of a run over the time of the faults, so that every fault affects some documents. */
export class DocumentBudget {
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

  /** Reserves documents, at most the remaining ones. */
  take(wanted: number): number {
    const granted = Math.min(wanted, this.total - this.taken);
    this.taken += granted;
    return granted;
  }

  /** Ends the budget. */
  close(): void {
    this.total = this.taken;
  }

  /** Returns rejected documents to the budget. */
  giveBack(documents: number): void {
    this.taken -= documents;
  }
}
