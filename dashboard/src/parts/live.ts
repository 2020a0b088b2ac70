const MOVING_MS = 5_000;
const RESTING_MS = 30_000;
const MOVING: readonly string[] = ['Queued', 'Processing', 'Submitted'];

/** Whether the status can change without a user's action. */
export function isMovingStatus(status: string): boolean {
  return MOVING.includes(status);
}

/** Returns the refresh interval: short while a status can change, else long because client systems add rows. */
export function chooseRefreshMs(rows: readonly { status: string }[] = []): number {
  return rows.some(({ status }) => isMovingStatus(status)) ? MOVING_MS : RESTING_MS;
}
