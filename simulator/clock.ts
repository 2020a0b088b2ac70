/** The machine's clock plus an offset that control calls advance, so that a test can skip 72 hours without waiting. */
export class Clock {
  offsetMs = 0;

  now(): number {
    return Date.now() + this.offsetMs;
  }
}

/** Formats a time such as `2026-07-23T00:30:00Z`. Captured responses have no fractional seconds. */
export function isoSeconds(instantMs: number): string {
  return new Date(instantMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
