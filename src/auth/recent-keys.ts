/**
 * For how long a lookup stands for the calls that follow it, in milliseconds. docs/rules.md#api-keys gives a
 * revocation one second to be felt everywhere; half of it is kept for what a lookup itself may take.
 */
export const CACHE_MS = 500;

/**
 * For how long a lookup stands while its key is seen to work by others: longer than a held poll, so that the client's next
 * one finds it. What an operator changes of rate limits is felt as late.
 */
export const CONFIRMED_MS_MAX = 30_000;

/** Keys that are kept at most. A rush of more only costs lookups. */
const KEYS_MAX = 10_000;

export interface RecentKey<Found> {
  readonly found: Found;
  /** Milliseconds since the lookup began. */
  readonly age: number;
}

interface Entry<Found> {
  readonly startedAt: number;
  /** When the key was last known to work, or not to. */
  seenAt: number;
  readonly lookup: Promise<Found | undefined>;
}

/**
 * Keys that were looked up within the last half second: calls that come in a burst ask the database once, also while
 * the first lookup is on its way. Only keys that were found are kept, so guessing keys fills nothing.
 */
export class RecentKeys<Found> {
  private readonly entries = new Map<string, Entry<Found>>();
  private readonly byId = new Map<string, Entry<Found>>();

  /** @param monotonicNow milliseconds of a clock that never jumps */
  constructor(
    private readonly idOf: (found: Found) => string,
    private readonly monotonicNow: () => number = () => performance.now(),
  ) {}

  /** Notes that a key, by its id, was seen to work at this moment: what its lookup has found still holds. */
  confirm(id: string, at: number): void {
    const entry = this.byId.get(id);
    if (entry !== undefined && at - entry.startedAt < CONFIRMED_MS_MAX) entry.seenAt = Math.max(entry.seenAt, at);
  }

  /**
   * What `lookUp` finds for a digest, now or less than CACHE_MS ago, or earlier if the key is confirmed since; undefined when there is no such key.
   * @param since lookups that began before do not count
   */
  async find(
    digest: Buffer,
    lookUp: (digest: Buffer) => Promise<Found | undefined>,
    since = 0,
  ): Promise<RecentKey<Found> | undefined> {
    const name = digest.toString('base64');
    const entry = this.findFresh(name, since) ?? this.startLookup(name, lookUp(digest));
    const found = await entry.lookup;
    return found === undefined ? undefined : { found, age: this.monotonicNow() - entry.startedAt };
  }

  private findFresh(name: string, since: number): Entry<Found> | undefined {
    const entry = this.entries.get(name);
    if (entry === undefined || entry.startedAt < since) return undefined;
    return this.monotonicNow() - entry.seenAt < CACHE_MS ? entry : undefined;
  }

  private startLookup(name: string, lookup: Promise<Found | undefined>): Entry<Found> {
    const startedAt = this.monotonicNow();
    const entry: Entry<Found> = { startedAt, seenAt: startedAt, lookup };
    if (this.entries.size >= KEYS_MAX) {
      this.entries.clear();
      this.byId.clear();
    }
    this.entries.set(name, entry);
    const settle = (found?: Found): void => {
      if (this.entries.get(name) !== entry) return;
      if (found === undefined) this.entries.delete(name);
      else this.byId.set(this.idOf(found), entry);
    };
    lookup.then(settle, () => settle());
    return entry;
  }
}
