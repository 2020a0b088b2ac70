/**
 * Time in milliseconds without input after which the user counts as away. The requests that an unattended page sends do
 * not extend the session.
 */
const PRESENT_MS = 60_000;

let lastInputAt = Date.now();

export function watchPresence(): void {
  for (const use of ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const) {
    addEventListener(use, () => (lastInputAt = Date.now()), { capture: true, passive: true });
  }
}

export function isUserPresent(): boolean {
  return Date.now() - lastInputAt <= PRESENT_MS;
}
