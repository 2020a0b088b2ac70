const windowMs = 10 * 60_000;

/** Payloads that were accepted with 202 in the last ten minutes, per taxpayer. */
export class PayloadHistory {
  private readonly acceptedAt = new Map<string, number>();

  /** Returns the seconds until the same payload is accepted again, or 0 if it is accepted now. */
  secondsUntilAccepted(taxpayerTin: string, sha256: string, now: number): number {
    const acceptedAt = this.acceptedAt.get(`${taxpayerTin} ${sha256}`) ?? -Infinity;
    return Math.max(0, Math.ceil((acceptedAt + windowMs - now) / 1000));
  }

  remember(taxpayerTin: string, sha256: string, now: number): void {
    this.rememberKey(`${taxpayerTin} ${sha256}`, now);
  }

  rememberKey(key: string, acceptedAt: number): void {
    this.forgetOld(acceptedAt);
    this.acceptedAt.delete(key);
    this.acceptedAt.set(key, acceptedAt);
  }

  /** Returns keys and acceptance times, for restore.ts. */
  all(): Iterable<[key: string, acceptedAt: number]> {
    return this.acceptedAt;
  }

  /** Stops at the first recent payload, because a map iterates in insertion order. */
  private forgetOld(now: number): void {
    for (const [key, acceptedAt] of this.acceptedAt) {
      if (acceptedAt + windowMs > now) return;
      this.acceptedAt.delete(key);
    }
  }
}
