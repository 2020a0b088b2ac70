const MOVING_MS = 5_000;
const RESTING_MS = 30_000;
const MOVING: readonly string[] = ['Queued', 'Processing', 'Submitted'];

/** Whether a document or a batch in this status gets another one by itself. */
export function isMovingStatus(status: string): boolean {
  return MOVING.includes(status);
}

/**
 * How soon a list is asked for again: in a few seconds while a row of it moves, else now and then, since programs add to
 * it too.
 */
export function chooseRefreshMs(rows: readonly { status: string }[] = []): number {
  return rows.some(({ status }) => isMovingStatus(status)) ? MOVING_MS : RESTING_MS;
}
