import { isCalendarDate, toMalaysianDate, toMalaysianMidnight } from '../common/malaysian-days.js';

/** How long a grant is valid when the operator names no date (docs/rules.md#credits). */
const VALIDITY_MONTHS = 12;

/** The instant at which a day has ended in Malaysia; credits of that day are spendable before it, and gone at it. */
export function computeMalaysianDayEnd(day: string): Date {
  return toMalaysianMidnight(day, 1);
}

/** The last day of a grant that names none: the same day 12 months on, or the month's last when it has no such day. */
export function computeDefaultLastDay(now: Date): string {
  const [year, month, day] = toMalaysianDate(now).split('-').map(Number);
  const daysOfMonth = new Date(Date.UTC(year, month - 1 + VALIDITY_MONTHS + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + VALIDITY_MONTHS, Math.min(day, daysOfMonth))).toISOString().slice(0, 10);
}

/** Why a day cannot be the last one of a grant made now, without the name of what holds it; null when it can. */
export function findLastDayProblem(day: string, now: Date): string | null {
  if (!isCalendarDate(day)) return 'must be a valid calendar date, such as 2027-12-31';
  return day < toMalaysianDate(now) ? `${day} is in the past in Malaysia` : null;
}

/** The last day in Malaysia on which credits that expire at an instant can be spent. */
export function computeLastDayBefore(expiresAt: Date): string {
  return toMalaysianDate(new Date(expiresAt.getTime() - 1));
}
