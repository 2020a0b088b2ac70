import { isCalendarDate, toMalaysianDate, toMalaysianMidnight } from '../common/malaysian-days.js';

/** Default validity of a grant (docs/rules.md#credits). */
const VALIDITY_MONTHS = 12;

/** Returns midnight in Malaysia after a day. */
export function computeMalaysianDayEnd(day: string): Date {
  return toMalaysianMidnight(day, 1);
}

export function computeDefaultLastDay(now: Date): string {
  const [year, month, day] = toMalaysianDate(now).split('-').map(Number);
  const daysOfMonth = new Date(Date.UTC(year, month - 1 + VALIDITY_MONTHS + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + VALIDITY_MONTHS, Math.min(day, daysOfMonth))).toISOString().slice(0, 10);
}

/** Returns why a day is not a valid last day, without the field name, or null. */
export function findLastDayProblem(day: string, now: Date): string | null {
  if (!isCalendarDate(day)) return 'must be a valid calendar date, such as 2027-12-31';
  return day < toMalaysianDate(now) ? `${day} is in the past in Malaysia` : null;
}

export function computeLastDayBefore(expiresAt: Date): string {
  return toMalaysianDate(new Date(expiresAt.getTime() - 1));
}
