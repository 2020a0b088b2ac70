import { toMalaysianMidnight } from '../common/malaysian-days.js';

/** Inclusive range of days, as `YYYY-MM-DD`. */
export interface InvoicePeriod {
  readonly start: string;
  readonly end: string;
}

export interface IssueTime {
  /** Whole seconds. */
  readonly issuedAt: Date;
  /** The document date if the issue time falls on another day, else null. */
  readonly period: InvoicePeriod | null;
}

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

// The authority rejects future times. It does not publish its tolerance for clock differences.
const CLOCK_MARGIN_MS = 60 * SECOND_MS;

// The authority rejects times older than 72 hours. One hour remains for queueing, sending and clock differences.
const AGE_MS_MAX = 71 * HOUR_MS;

/**
 * Chooses the issue time of an attempt (docs/rules.md#issue-time): one minute before `now`, moved into the day of
 * `documentDate` and back by one second per earlier attempt.
 * @@ - The seconds are subtracted last, so that attempts differ even at the start or end of the day. Just after
 * midnight, the result is on the previous day, and the period contains the document date.
 * - A time older than 71 hours or in the future becomes one minute before now, and the period contains the document
 * date.
 * - While another document has the same second, the time moves back, because the authority would refuse the later
 * document as a duplicate. If it becomes older than 71 hours, the search restarts at one minute before now.
 * - A time before `notBefore` becomes the first free second after it, so that later attempts never have earlier times.
 */
export function chooseIssueTime(input: {
  now: Date;
  documentDate: string;
  earlierAttempts: number;
  /** Issue times of documents of any tenant with the same type, number and supplier TIN. */
  taken?: readonly Date[];
  /** Appointment of the intermediary, which must precede the issue of a signed document. */
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

export function describeIssueTime(issuedAt: Date, documentDate: string): IssueTime {
  const isInDay = issuedAt >= toMalaysianMidnight(documentDate) && issuedAt < toMalaysianMidnight(documentDate, 1);
  return { issuedAt, period: isInDay ? null : { start: documentDate, end: documentDate } };
}

function findLaterInstant(milliseconds: number, taken: readonly Date[] = []): Date {
  const others = new Set(taken.map((date) => truncateToSeconds(date.getTime())));
  let free = Math.ceil(milliseconds / SECOND_MS) * SECOND_MS;
  while (others.has(free)) free += SECOND_MS;
  return new Date(free);
}

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
 * Returns whether a document that never arrived needs a new issue time, which is the case after 71
 * hours (docs/rules.md#issue-time).
 */
export function isIssueTimeStale(issuedAt: Date, now: Date): boolean {
  return issuedAt < computeOldestIssueTime(now);
}

export function computeOldestIssueTime(now: Date): Date {
  return new Date(now.getTime() - AGE_MS_MAX);
}

function truncateToSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / SECOND_MS) * SECOND_MS;
}
