/** The user counts as away after this time without a key, click or move. Requests that a page then makes by itself do not extend the session. */
const PRESENT_MS = 60_000;

let lastInputAt = Date.now();

/** Records input from now on, for `isUserPresent`. */
export function watchPresence(): void {
  for (const use of ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const) {
    addEventListener(use, () => (lastInputAt = Date.now()), { capture: true, passive: true });
  }
}

export function isUserPresent(): boolean {
  return Date.now() - lastInputAt <= PRESENT_MS;
}
