import { computeCancellableUntil } from '../../documents/statuses.js';

export const FIRST_POLL_SECONDS = 3;
const SECOND_POLL_SECONDS = 5;
const POLL_SECONDS_MAX = 300;
/** Up to this share is added at random, so that submissions of one minute do not stay together for hours. */
const JITTER = 0.2;

/**
 * Seconds until a submission with documents still under validation is looked at again: 3, 5, 10, 20 … 300 (with
 * jitter).
 */
export function computeSecondsToNextPoll(polls: number, random: () => number = Math.random): number {
  const seconds =
    polls === 0 ? FIRST_POLL_SECONDS : Math.min(POLL_SECONDS_MAX, SECOND_POLL_SECONDS * 2 ** Math.min(polls - 1, 10));
  return seconds * (1 + JITTER * random());
}

const WATCH_SECONDS_MIN = 300;
const WATCH_SECONDS_MAX = 3_600;
const WATCH_SHARE_OF_AGE = 0.25;

/** The longest time until the next poll, while a document is under validation and after that. */
export const LONGEST_POLL_SECONDS = POLL_SECONDS_MAX * (1 + JITTER);
export const LONGEST_WATCH_SECONDS = WATCH_SECONDS_MAX * (1 + JITTER);

/**
 * When a submission whose documents all have an outcome is looked at again, since a valid one can be cancelled or its
 * rejection requested in the authority's portal (docs/rules.md#after-validation): at growing intervals until the window
 * closes.
 * @returns null when nothing can change any more
 */
export function computeNextWatchAt(
  lastValidatedAt: Date | null,
  now: Date,
  random: () => number = Math.random,
): Date | null {
  if (lastValidatedAt === null || now >= computeCancellableUntil(lastValidatedAt)) return null;
  const ageSeconds = (now.getTime() - lastValidatedAt.getTime()) / 1_000;
  const seconds = Math.min(WATCH_SECONDS_MAX, Math.max(WATCH_SECONDS_MIN, ageSeconds * WATCH_SHARE_OF_AGE));
  return new Date(now.getTime() + seconds * (1 + JITTER * random()) * 1_000);
}
