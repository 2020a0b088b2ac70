import { DIFFERENCE_SECONDS_MAX } from '../../authority/authority-clock.js';

/** Minutes after which lookups end and an operator may decide. The authority's search lags by minutes. */
export const LOOKUP_MINUTES_MAX = 115;

/** Two hours after the first send, the authority accepts an identical document again. Resends end well before that. */
const RESEND_MINUTES_MAX = 100;
/** A call is never sent again later, so a longer pause would have the same effect. */
export const RESEND_WINDOW_SECONDS = RESEND_MINUTES_MAX * 60 + 1;
/**
 * Number of lookups that must miss a document. Elapsed time alone proves nothing because the database's clock may
 * have jumped.
 */
const LOOKUPS_MIN = 15;
const LATE_LOOKUP_MINUTES = 5;

/** Earliest possible resend: twice the time between two lookups. */
const RESEND_PAUSE_SECONDS = 120;
const RESEND_PAUSE_SECONDS_MAX = 3_600;

export function computeResendPauseSeconds(earlierSends: number): number {
  return Math.min(RESEND_PAUSE_SECONDS * 2 ** earlierSends, RESEND_PAUSE_SECONDS_MAX);
}

/** The database's time, and how far its clock may have jumped since the first send. */
export interface Present {
  readonly now: Date;
  readonly driftSeconds: number;
}

/** @param sentAt a time in the future means that the clock was set back, so the age of the send is unknown */
export function isTooLateToResend(sentAt: Date, { now, driftSeconds }: Present): boolean {
  const minutes = computeMinutes(sentAt, now);
  return minutes < 0 || minutes + driftSeconds / 60 > RESEND_MINUTES_MAX;
}

/** Returns whether at least this much time has passed, even if the clock jumped ahead. */
export function hasPassed(since: Date, minutes: number, { now, driftSeconds }: Present): boolean {
  return computeMinutes(since, now) - driftSeconds / 60 >= minutes;
}

/** Returns false for accepted documents, which are never sent again. */
export function mayResend(
  {
    sentAt,
    resendAfter,
    members,
  }: { sentAt: Date; resendAfter: Date | null; members: readonly { isAccepted: boolean }[] },
  present: Present,
): boolean {
  if (members.some(({ isAccepted }) => isAccepted) || isTooLateToResend(sentAt, present)) return false;
  return resendAfter === null || hasPassed(resendAfter, 0, present);
}

/** Returns whether enough lookups since the last send have missed the documents. */
export function isAbsenceProven({ lookups }: { lookups: number }): boolean {
  return lookups >= LOOKUPS_MIN;
}

/**
 * Returns whether lookups end and an operator decides. A send time in the future shows that the clock was set back.
 */
export function isTooLateToLookUp(
  call: { sentAt: Date; missingSince: Date | null; lookups: number },
  now: Date,
): boolean {
  const firstLookup = call.missingSince ?? addMs(now, -call.lookups * 60_000);
  const since = call.sentAt > now ? firstLookup : call.sentAt;
  return isAbsenceProven(call) && computeMinutes(since, now) > LOOKUP_MINUTES_MAX;
}

const UNMEASURED_JUMP_MS = 150 * 60_000;

export interface CallTimes {
  readonly sentAt: Date;
  readonly doubtfulSince: Date;
  readonly missingSince: Date | null;
  readonly lookups: number;
}

/** Computes the time range in which a call was sent. Contradictory stored times widen the range. */
export function computeSendTimes(call: CallTimes, now: Date): { from: Date; to: Date } {
  const { sentAt, doubtfulSince, missingSince, lookups } = call;
  const isFirst = lookups <= 1 || sentAt > now;
  const lookedUpAt = missingSince ?? (isFirst ? now : doubtfulSince);
  const earliest = getEarliest([doubtfulSince, lookedUpAt, now]);
  const from = sentAt <= earliest ? sentAt : addMs(earliest, -UNMEASURED_JUMP_MS);
  const last = getEarliest([lookedUpAt, addMs(doubtfulSince, UNMEASURED_JUMP_MS)]);
  const to = getLatest([sentAt, doubtfulSince, last]);
  return { from, to: getEarliest([to, addMs(now, DIFFERENCE_SECONDS_MAX * 1_000)]) };
}

function getEarliest(dates: readonly Date[]): Date {
  return new Date(Math.min(...dates.map((date) => date.getTime())));
}

function getLatest(dates: readonly Date[]): Date {
  return new Date(Math.max(...dates.map((date) => date.getTime())));
}

function addMs(date: Date, ms: number): Date {
  return new Date(date.getTime() + ms);
}

/** Returns whether an operator may decide a call because no dispatcher looks it up. */
export function hasNoLookups({ dueAt, sentAt }: { dueAt: Date; sentAt: Date }, present: Present): boolean {
  return hasPassed(sentAt, LOOKUP_MINUTES_MAX, present) && isOverdue(dueAt, present);
}

export function isOverdue(dueAt: Date, present: Present): boolean {
  return hasPassed(dueAt, LATE_LOOKUP_MINUTES, present);
}

export const LOOKUP_SECONDS_MAX = 600;
const LOOKUP_SHARE_OF_AGE = 0.25;

/** Computes the delay until the next lookup. Accepted documents wait longer because searches are scarce. */
export function computeLookupSeconds(
  { sentAt, members }: { sentAt: Date; members: readonly { isAccepted: boolean; invalidUuid: string | null }[] },
  { seconds, now }: { seconds: number; now: Date },
): number {
  if (!members.some(({ isAccepted, invalidUuid }) => isAccepted && invalidUuid === null)) return seconds;
  const ageSeconds = computeMinutes(sentAt, now) * 60;
  return Math.max(seconds, Math.min(ageSeconds * LOOKUP_SHARE_OF_AGE, LOOKUP_SECONDS_MAX));
}

function computeMinutes(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / 60_000;
}
