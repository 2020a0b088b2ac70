/** After so long without a key, a click or a move nobody is at the page; what it asks by itself keeps no session. */
const ATTENDED_MS = 60_000;

let attendedAt = Date.now();

/** Notices from now on whether somebody is at the page. */
export function watchAttendance(): void {
  for (const use of ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const) {
    addEventListener(use, () => (attendedAt = Date.now()), { capture: true, passive: true });
  }
}

export function isAttended(): boolean {
  return Date.now() - attendedAt <= ATTENDED_MS;
}
