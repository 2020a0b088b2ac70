// Loops that have a shorter interval find a database that works again within this time.
const PAUSE_MS_MAX = 5_000;

/** Time until the next tick after so many failed ticks in a row: the interval, doubled with each of them. */
export function computePauseMs(intervalMs: number, failures: number): number {
  return Math.max(intervalMs, Math.min(PAUSE_MS_MAX, intervalMs * 2 ** failures));
}
