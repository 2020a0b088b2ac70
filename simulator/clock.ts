/**
 * The simulator's own time: the machine's clock plus an offset that only a control call moves, so that 72 hours pass in
 * a test without waiting.
 */
export class Clock {
  /** How far it is ahead. */
  offsetMs = 0;

  now(): number {
    return Date.now() + this.offsetMs;
  }
}

/** `2026-07-23T00:30:00Z`: the captured responses carry no fraction of a second. */
export function isoSeconds(instantMs: number): string {
  return new Date(instantMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
