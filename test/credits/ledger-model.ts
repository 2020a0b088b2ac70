/**
 * A model of the ledger (docs/rules.md#credits): expired lots are removed first, sandbox lots are spent first and only
 * in the sandbox, and all lots in the order of their expiry.
 */
export interface ModelLot {
  readonly id: string;
  readonly granted: number;
  readonly expiresAt: Date;
  readonly environment: string | null;
  remaining: number;
}

export interface ModelEntry {
  readonly kind: string;
  readonly amount: number;
  readonly balanceAfter: number;
  readonly causeId: string;
  readonly environment: string | null;
  readonly createdAt: Date;
}

export class LedgerModel {
  private lots: ModelLot[] = [];

  /** Credits that can be spent in an environment. */
  spendable(now: Date, environment: string): number {
    return sum(this.lots.filter((lot) => lot.expiresAt > now && isFor(lot, environment)));
  }

  /** Credits of both environments that have not expired. */
  balance(now: Date): number {
    return sum(this.lots.filter(({ expiresAt }) => expiresAt > now));
  }

  /** The expected rows of credit_lot. */
  remaining(): Record<string, number> {
    return Object.fromEntries(this.lots.map(({ id, remaining }) => [id, remaining]));
  }

  /**
   * Applies a stored entry, and fails if the model would not have written it.
   * @param lot the lot of a grant
   */
  take(entry: ModelEntry, lot: ModelLot | undefined): void {
    const { kind, amount, balanceAfter, causeId, environment, createdAt } = entry;
    assertOfItsLot(entry, lot);
    if (kind === 'expire') this.sweep(causeId, amount, createdAt);
    else {
      const unswept = this.lots.find(({ remaining, expiresAt }) => remaining > 0 && expiresAt <= createdAt);
      if (unswept !== undefined) throw new Error(`${kind} of ${amount} before lot ${unswept.id} was swept`);
      if (kind !== 'grant') this.spend(-amount, environment ?? '');
      else if (lot === undefined) throw new Error(`There is no lot ${causeId}`);
      else this.grant({ ...lot, remaining: amount });
    }
    if (sum(this.lots) !== balanceAfter) throw new Error(`balance_after ${balanceAfter}, not ${sum(this.lots)}`);
  }

  private grant(lot: ModelLot): void {
    if (lot.granted !== lot.remaining) throw new Error(`A lot of ${lot.granted} has an entry of ${lot.remaining}`);
    this.lots = [...this.lots, lot].sort(
      (a, b) => a.expiresAt.getTime() - b.expiresAt.getTime() || (a.id < b.id ? -1 : 1),
    );
  }

  private sweep(id: string, amount: number, at: Date): void {
    const next = this.lots.find((lot) => lot.remaining > 0);
    if (next?.id !== id || next.expiresAt > at)
      throw new Error(`Lot ${id} is not the next to expire at ${at.toJSON()}`);
    if (amount !== -next.remaining) throw new Error(`Swept ${amount} of the ${next.remaining} of lot ${id}`);
    next.remaining = 0;
  }

  private spend(credits: number, environment: string): void {
    let due = credits;
    const own = this.lots.filter((lot) => lot.environment === environment);
    for (const lot of [...own, ...this.lots.filter((each) => each.environment === null)]) {
      const taken = Math.min(lot.remaining, due);
      lot.remaining -= taken;
      due -= taken;
    }
    if (due > 0) throw new Error(`${due} of ${credits} credits were spent that nobody had`);
  }
}

function assertOfItsLot({ kind, environment }: ModelEntry, lot: ModelLot | undefined): void {
  if (kind !== 'expire' && kind !== 'grant') return;
  if (lot?.environment !== environment) throw new Error(`${kind} in ${environment} of a lot for ${lot?.environment}`);
}

function isFor(lot: ModelLot, environment: string): boolean {
  return lot.environment === null || lot.environment === environment;
}

function sum(lots: readonly ModelLot[]): number {
  return lots.reduce((total, { remaining }) => total + remaining, 0);
}
