import { getAttemptState } from '../../documents/statuses.js';
import type { FollowedDocument } from './followed-submission.js';
import { computeCancellableUntil } from '../../documents/statuses.js';

export const FIRST_POLL_SECONDS = 3;
const SECOND_POLL_SECONDS = 5;
const POLL_SECONDS_MAX = 300;
/** Random share added to an interval, which spreads out the polls of simultaneous submissions. */
const JITTER = 0.2;

/** Computes the seconds until the next poll during validation: 3, 5, 10, 20 … 300, plus jitter. */
export function computeSecondsToNextPoll(polls: number, random: () => number = Math.random): number {
  const seconds =
    polls === 0 ? FIRST_POLL_SECONDS : Math.min(POLL_SECONDS_MAX, SECOND_POLL_SECONDS * 2 ** Math.min(polls - 1, 10));
  return seconds * (1 + JITTER * random());
}

const WATCH_SECONDS_MIN = 300;
const WATCH_SECONDS_MAX = 3_600;
const WATCH_SHARE_OF_AGE = 0.25;

export const LONGEST_POLL_SECONDS = POLL_SECONDS_MAX * (1 + JITTER);
export const LONGEST_WATCH_SECONDS = WATCH_SECONDS_MAX * (1 + JITTER);

/** If the authority's time is unknown, polls end this long after the window has closed. */
const UNCONFIRMED_MS = 30 * 86_400_000;

/** The current time by the database's clock, and by the authority's clock if its response contains it. */
export interface PollTime {
  readonly now: Date;
  readonly authorityNow: Date | null;
}

/**
 * Computes the next poll after all outcomes, because a valid document can still be cancelled or rejected in the
 * authority's portal (docs/rules.md#after-validation). Returns null after the window has closed by both clocks.
 */
export function computeNextWatchAt(
  lastValidatedAt: Date | null,
  { now, authorityNow }: PollTime,
  random: () => number = Math.random,
): Date | null {
  if (lastValidatedAt === null) return null;
  const confirmedMs = authorityNow?.getTime() ?? now.getTime() - UNCONFIRMED_MS;
  if (Math.min(now.getTime(), confirmedMs) >= computeCancellableUntil(lastValidatedAt).getTime()) return null;
  const ageSeconds = (now.getTime() - lastValidatedAt.getTime()) / 1_000;
  const seconds = Math.min(WATCH_SECONDS_MAX, Math.max(WATCH_SECONDS_MIN, ageSeconds * WATCH_SHARE_OF_AGE));
  return new Date(now.getTime() + seconds * (1 + JITTER * random()) * 1_000);
}

export function computeNextPollAt(members: readonly FollowedDocument[], polls: number, time: PollTime): Date | null {
  const states = members.map(({ authorityStatus }) =>
    getAttemptState({ submissionStatus: 'Submitted', authorityStatus }),
  );
  if (states.includes('submitted')) return new Date(time.now.getTime() + computeSecondsToNextPoll(polls + 1) * 1_000);
  const watched = members.filter(
    ({ authorityStatus, isWithoutReason, isIncomplete }) =>
      authorityStatus === 'Valid' || isWithoutReason || isIncomplete,
  );
  const latest = Math.max(
    ...watched.map(({ validatedAt, submittedAt, acceptedAt }) => (validatedAt ?? submittedAt ?? acceptedAt).getTime()),
  );
  return computeNextWatchAt(watched.length === 0 ? null : new Date(latest), time);
}
