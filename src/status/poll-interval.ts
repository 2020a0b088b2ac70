// Every 2 seconds for a new batch, growing with its age up to once per minute (docs/rules.md#status-response).
const POLL_SECONDS_MIN = 2;
const POLL_SECONDS_MAX = 60;
const POLL_SHARE_OF_AGE = 0.1;

/** Returns the seconds until the next poll for a batch that has been changing for `ageSeconds`. */
export function computePollInterval(ageSeconds: number): number {
  return Math.min(POLL_SECONDS_MAX, Math.max(POLL_SECONDS_MIN, Math.round(ageSeconds * POLL_SHARE_OF_AGE)));
}
