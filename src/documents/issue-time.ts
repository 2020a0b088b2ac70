import { toMalaysianMidnight } from '../common/malaysian-days.js';

/** A billing period, both days inclusive, as `YYYY-MM-DD`. */
export interface InvoicePeriod {
  readonly start: string;
  readonly end: string;
}

export interface IssueTime {
  /** Whole seconds. */
  readonly issuedAt: Date;
  /** The document's own date, when the instant lies outside it; else null. */
  readonly period: InvoicePeriod | null;
}

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

// The authority refuses an instant of its future, and its tolerance for clocks that differ is not published.
const CLOCK_MARGIN_MS = 60 * SECOND_MS;

// The authority refuses instants older than 72 hours; one hour is left for queueing, sending and its own clock.
const AGE_MS_MAX = 71 * HOUR_MS;

/**
 * The instant of issue (docs/rules.md#issue-time): one minute before `now`; outside the Malaysian day of `documentDate`
 * it is moved into that day, less one second for each earlier attempt. `documentDate` must be a calendar date.
 *
 * - The seconds are taken off last, so that attempts stay apart also where the day's edge pins them to one instant. Just
 *   after midnight that leads into the day before; the document's date then goes into the period.
 * - An instant that would be older than 71 hours, or in the future (a date after today cannot be accepted, but clocks
 *   differ), becomes one minute before now, with the date in the period.
 * - Whatever comes out steps back further while another document has that very second: the authority would call the
 *   later one a duplicate. Where that leads past 71 hours, it starts again at one minute before now.
 * - An instant before `notBefore` becomes the first free second from the later of `notBefore` and one minute before now,
 *   so that a later attempt never has an earlier instant.
 */
export function chooseIssueTime(input: {
  now: Date;
  documentDate: string;
  earlierAttempts: number;
  /** Instants of documents with the same type, number and supplier TIN, of this tenant and of others. */
  taken?: readonly Date[];
  /** The intermediary must be appointed when a signed document is issued. */
  notBefore?: Date | null;
}): IssueTime {
  const dayStart = toMalaysianMidnight(input.documentDate).getTime();
  const dayEnd = toMalaysianMidnight(input.documentDate, 1).getTime() - SECOND_MS;
  const justNow = truncateToSeconds(input.now.getTime() - CLOCK_MARGIN_MS);
  const inDay = Math.min(Math.max(justNow, dayStart), dayEnd);
  const isMoved = inDay !== justNow;
  const wanted = new Date(isMoved ? inDay - input.earlierAttempts * SECOND_MS : justNow);
  const isUsable = wanted <= input.now && !isIssueTimeStale(wanted, input.now);
  const free = findFreeInstant(isUsable ? [wanted, new Date(justNow)] : [new Date(justNow)], input);
  const { notBefore } = input;
  const isTooEarly = notBefore !== undefined && notBefore !== null && free < notBefore;
  return describeIssueTime(
    isTooEarly ? findLaterInstant(Math.max(justNow, notBefore.getTime()), input.taken) : free,
    input.documentDate,
  );
}

/** An instant of issue with the period that a document of `documentDate`, a calendar date, then has. */
export function describeIssueTime(issuedAt: Date, documentDate: string): IssueTime {
  const isInDay = issuedAt >= toMalaysianMidnight(documentDate) && issuedAt < toMalaysianMidnight(documentDate, 1);
  return { issuedAt, period: isInDay ? null : { start: documentDate, end: documentDate } };
}

/** The first free second from an instant on. */
function findLaterInstant(milliseconds: number, taken: readonly Date[] = []): Date {
  const others = new Set(taken.map((date) => truncateToSeconds(date.getTime())));
  let free = Math.ceil(milliseconds / SECOND_MS) * SECOND_MS;
  while (others.has(free)) free += SECOND_MS;
  return new Date(free);
}

/** The first instant at or before one of `wanted` that is free and not too old. */
function findFreeInstant([wanted, ...others]: readonly Date[], input: { now: Date; taken?: readonly Date[] }): Date {
  let free = wanted.getTime();
  if (input.taken !== undefined && input.taken.length > 0) {
    const taken = new Set(input.taken.map((date) => truncateToSeconds(date.getTime())));
    while (taken.has(free)) free -= SECOND_MS;
  }
  const instant = new Date(free);
  return isIssueTimeStale(instant, input.now) && others.length > 0 ? findFreeInstant(others, input) : instant;
}

/**
 * Whether an instant of issue passed 71 hours, so that a document that never arrived is built again
 * (docs/rules.md#issue-time).
 */
export function isIssueTimeStale(issuedAt: Date, now: Date): boolean {
  return issuedAt < computeOldestIssueTime(now);
}

/** Computes the earliest issue time that is at most 71 hours ago (docs/rules.md#issue-time). */
export function computeOldestIssueTime(now: Date): Date {
  return new Date(now.getTime() - AGE_MS_MAX);
}

function truncateToSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / SECOND_MS) * SECOND_MS;
}
