const QUIET_MS = 60_000;

interface Seen {
  readonly loggedAt: number;
  readonly unlogged: number;
}

/**
 * Which errors of the loops are worth a line: with a full disk or no database every loop fails several times a second
 * with the same words, which would fill the log and say nothing new.
 */
export class RepeatedErrors {
  private readonly seen = new Map<string, Seen>();

  /**
   * Counts an error.
   * @returns how many errors like it were left unlogged since the last line, or null when this one is left unlogged too
   */
  note(loop: string, message: string, now = Date.now()): number | null {
    const key = `${loop}\n${message}`;
    const earlier = this.seen.get(key);
    if (earlier !== undefined && now - earlier.loggedAt < QUIET_MS) {
      this.seen.set(key, { ...earlier, unlogged: earlier.unlogged + 1 });
      return null;
    }
    // Texts that name rows would otherwise gather without end.
    if (earlier === undefined && this.seen.size >= KEPT_MAX) this.seen.clear();
    this.seen.set(key, { loggedAt: now, unlogged: 0 });
    return earlier?.unlogged ?? 0;
  }
}

const KEPT_MAX = 200;
