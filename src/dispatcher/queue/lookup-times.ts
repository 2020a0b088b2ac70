import { DIFFERENCE_SECONDS_MAX } from '../../authority/authority-clock.js';

/**
 * The authority's search shows a document minutes after it accepted it. Lookups usually end this long after the first
 * send of a call. This long after the last send an operator may decide, even if no lookup has succeeded.
 */
export const LOOKUP_MINUTES_MAX = 115;

/** The authority accepts the same document again two hours after the first send. Resends end well before. */
const RESEND_MINUTES_MAX = 100;
/** A call is never sent again this long after its first send, so a longer pause has the same effect. */
export const RESEND_WINDOW_SECONDS = RESEND_MINUTES_MAX * 60 + 1;
/**
 * Lookups, a minute apart, that must miss a document after its last send before its absence counts. Elapsed time alone
 * never counts, because the database's clock may have jumped.
 */
const LOOKUPS_MIN = 15;
/** An overdue lookup counts as abandoned after this time. */
const LATE_LOOKUP_MINUTES = 5;

/** Twice the time between two lookups: a resend is never sooner. */
const RESEND_PAUSE_SECONDS = 120;
const RESEND_PAUSE_SECONDS_MAX = 3_600;

/** Computes the pause after a resend that the authority refused: 4, 8, 16 and 32 minutes, then an hour. */
export function computeResendPauseSeconds(earlierSends: number): number {
  return Math.min(RESEND_PAUSE_SECONDS * 2 ** earlierSends, RESEND_PAUSE_SECONDS_MAX);
}

/** The present by the database's clock, and by how much that clock may have been moved since the first send. */
export interface Present {
  readonly now: Date;
  readonly driftSeconds: number;
}

/** @param sentAt a time in the future shows that the clock was set back: the age of the send is then unknown */
export function isTooLateToResend(sentAt: Date, { now, driftSeconds }: Present): boolean {
  const minutes = computeMinutes(sentAt, now);
  return minutes < 0 || minutes + driftSeconds / 60 > RESEND_MINUTES_MAX;
}

/** Returns whether at least this time has passed, even if the clock was moved ahead meanwhile. */
export function hasPassed(since: Date, minutes: number, { now, driftSeconds }: Present): boolean {
  return computeMinutes(since, now) - driftSeconds / 60 >= minutes;
}

/** Returns false for documents that the authority accepted: they are never sent again. */
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

/**
 * Returns whether lookups since the last send have shown that the authority does not have documents that the last one
 * missed and that none has shown.
 */
export function isAbsenceProven({ lookups }: { lookups: number }): boolean {
  return lookups >= LOOKUPS_MIN;
}

/**
 * Returns whether lookups end and an operator decides. If the send is in the future, the time since the first lookup that
 * missed the documents counts, or else the number of lookups, which are at least a minute apart.
 */
export function isTooLateToLookUp(
  call: { sentAt: Date; missingSince: Date | null; lookups: number },
  now: Date,
): boolean {
  const firstLookup = call.missingSince ?? addMs(now, -call.lookups * 60_000);
  const since = call.sentAt > now ? firstLookup : call.sentAt;
  return isAbsenceProven(call) && computeMinutes(since, now) > LOOKUP_MINUTES_MAX;
}

/** The largest jump of the database's clock that searches cover although no response of the authority showed it. */
const UNMEASURED_JUMP_MS = 150 * 60_000;

/** Times of a call in doubt, by a clock that may have been moved between them. */
export interface DoubtTimes {
  readonly sentAt: Date;
  readonly doubtfulSince: Date;
  readonly missingSince: Date | null;
  readonly lookups: number;
}

/**
 * Computes the instants between which a call was sent. If the stored times contradict each other, the clock was moved:
 * the result then contains the stored times and the present. Later lookups search no later than the first one.
 */
export function computeSendTimes(call: DoubtTimes, now: Date): { from: Date; to: Date } {
  const { sentAt, doubtfulSince, missingSince, lookups } = call;
  const isFirst = lookups <= 1 || sentAt > now;
  const lookedUpAt = missingSince ?? (isFirst ? now : doubtfulSince);
  const earliest = getEarliest([doubtfulSince, lookedUpAt, now]);
  const from = sentAt <= earliest ? sentAt : addMs(earliest, -UNMEASURED_JUMP_MS);
  const last = getEarliest([lookedUpAt, addMs(doubtfulSince, UNMEASURED_JUMP_MS)]);
  const to = getLatest([sentAt, doubtfulSince, last]);
  // A search of more than 31 days is refused.
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

/** Returns whether a lookup is overdue at an age at which lookups have ended: no dispatcher makes them, so an operator decides. */
export function hasNoLookups({ dueAt, sentAt }: { dueAt: Date; sentAt: Date }, present: Present): boolean {
  return hasPassed(sentAt, LOOKUP_MINUTES_MAX, present) && isOverdue(dueAt, present);
}

export function isOverdue(dueAt: Date, present: Present): boolean {
  return hasPassed(dueAt, LATE_LOOKUP_MINUTES, present);
}

/** The longest pause between lookups of accepted documents. */
export const LOOKUP_SECONDS_MAX = 600;
/** Pauses between lookups of accepted documents, as a share of the time since the first send. */
const LOOKUP_SHARE_OF_AGE = 0.25;

/**
 * Computes the pause until the next lookup of a call. Accepted documents are never sent again and can wait, so their
 * lookups leave the few searches to calls whose response was lost: their pauses grow to ten minutes.
 */
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
