const windowMs = 10 * 60_000;

/** Payloads that were accepted with 202, remembered for ten minutes for each taxpayer. */
export class PayloadHistory {
  private readonly acceptedAt = new Map<string, number>();

  /** Seconds until the same payload is welcome again; 0 when it is now. */
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

  /** Keys with the times of acceptance, for restore.ts. */
  all(): Iterable<[key: string, acceptedAt: number]> {
    return this.acceptedAt;
  }

  /** A map keeps the order of insertion, so the old ones stand in front. */
  private forgetOld(now: number): void {
    for (const [key, acceptedAt] of this.acceptedAt) {
      if (acceptedAt + windowMs > now) return;
      this.acceptedAt.delete(key);
    }
  }
}
