/**
 * For how long a lookup stands for the calls that follow it, in milliseconds. docs/rules.md#api-keys gives a
 * revocation one second to be felt everywhere; half of it is kept for what a lookup itself may take.
 */
export const CACHE_MS = 500;

/** Keys that are kept at most. A rush of more only costs lookups. */
const KEYS_MAX = 10_000;

export interface RecentKey<Found> {
  readonly found: Found;
  /** Milliseconds since the lookup began. */
  readonly age: number;
}

interface Entry<Found> {
  readonly startedAt: number;
  readonly lookup: Promise<Found | undefined>;
}

/**
 * Keys that were looked up within the last half second: calls that come in a burst ask the database once, also while
 * the first lookup is on its way. Only keys that were found are kept, so guessing keys fills nothing.
 */
export class RecentKeys<Found> {
  private readonly entries = new Map<string, Entry<Found>>();

  /** @param monotonicNow milliseconds of a clock that never jumps */
  constructor(private readonly monotonicNow: () => number = () => performance.now()) {}

  /** Returns what `lookUp` finds for a digest now, or found less than CACHE_MS ago; undefined for an unknown key. */
  async find(
    digest: Buffer,
    lookUp: (digest: Buffer) => Promise<Found | undefined>,
  ): Promise<RecentKey<Found> | undefined> {
    const name = digest.toString('base64');
    const entry = this.findFresh(name) ?? this.startLookup(name, lookUp(digest));
    const found = await entry.lookup;
    return found === undefined ? undefined : { found, age: this.monotonicNow() - entry.startedAt };
  }

  private findFresh(name: string): Entry<Found> | undefined {
    const entry = this.entries.get(name);
    return entry !== undefined && this.monotonicNow() - entry.startedAt < CACHE_MS ? entry : undefined;
  }

  private startLookup(name: string, lookup: Promise<Found | undefined>): Entry<Found> {
    const entry: Entry<Found> = { startedAt: this.monotonicNow(), lookup };
    if (this.entries.size >= KEYS_MAX) this.entries.clear();
    this.entries.set(name, entry);
    const forgetUnknown = (found?: Found): void => {
      if (found === undefined && this.entries.get(name) === entry) this.entries.delete(name);
    };
    lookup.then(forgetUnknown, () => forgetUnknown());
    return entry;
  }
}
