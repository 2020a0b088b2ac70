import { isCalendarDate, toMalaysianDate, toMalaysianMidnight } from '../common/malaysian-days.js';

/** Default validity of a grant (docs/rules.md#credits). */
const VALIDITY_MONTHS = 12;

/** Returns midnight in Malaysia after a day. Credits of that day can be spent until then. */
export function computeMalaysianDayEnd(day: string): Date {
  return toMalaysianMidnight(day, 1);
}

/** Returns the same day 12 months later, or the last day of that month. */
export function computeDefaultLastDay(now: Date): string {
  const [year, month, day] = toMalaysianDate(now).split('-').map(Number);
  const daysOfMonth = new Date(Date.UTC(year, month - 1 + VALIDITY_MONTHS + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + VALIDITY_MONTHS, Math.min(day, daysOfMonth))).toISOString().slice(0, 10);
}

/** Returns why a day cannot be the last day of a grant, without the field name, or null. */
export function findLastDayProblem(day: string, now: Date): string | null {
  if (!isCalendarDate(day)) return 'must be a valid calendar date, such as 2027-12-31';
  return day < toMalaysianDate(now) ? `${day} is in the past in Malaysia` : null;
}

/** Returns the last day in Malaysia before an expiry. */
export function computeLastDayBefore(expiresAt: Date): string {
  return toMalaysianDate(new Date(expiresAt.getTime() - 1));
}
