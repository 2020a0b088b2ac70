/** In milliseconds. Revocations must take effect within a second, including the lookup (docs/rules.md#api-keys). */
export const CACHE_MS = 500;

const KEYS_MAX = 10_000;

export interface RecentKey<Found> {
  readonly found: Found;
  readonly age: number;
}

interface Entry<Found> {
  readonly startedAt: number;
  readonly lookup: Promise<Found | undefined>;
}

/** Caches lookups of existing keys, so that a burst of requests causes one lookup. */
export class RecentKeys<Found> {
  private readonly entries = new Map<string, Entry<Found>>();

  constructor(private readonly monotonicNow: () => number = () => performance.now()) {}

  /** Returns the result of a recent or new lookup; undefined for an unknown key. */
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
