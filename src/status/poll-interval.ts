// docs/rules.md#status-response: every two seconds when young, growing with the age of the batch to once a minute.
const POLL_SECONDS_MIN = 2;
const POLL_SECONDS_MAX = 60;
const POLL_SHARE_OF_AGE = 0.1;

/** Seconds until a client should ask again about what has been moving for so long. */
export function computePollInterval(ageSeconds: number): number {
  return Math.min(POLL_SECONDS_MAX, Math.max(POLL_SECONDS_MIN, Math.round(ageSeconds * POLL_SHARE_OF_AGE)));
}
