const DAY_MS = 24 * 3_600 * 1_000;

// Malaysia keeps UTC+8 all year.
const MALAYSIA_OFFSET_MS = 8 * 3_600 * 1_000;

/** How long a grant is valid when the operator names no date (docs/rules.md#credits). */
const VALIDITY_MONTHS = 12;

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The Malaysian calendar day of an instant, `YYYY-MM-DD`. */
export function toMalaysianDay(instant: Date): string {
  return new Date(instant.getTime() + MALAYSIA_OFFSET_MS).toISOString().slice(0, 10);
}

/** The instant at which a day has ended in Malaysia; credits of that day are spendable before it, and gone at it. */
export function computeMalaysianDayEnd(day: string): Date {
  return new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS - MALAYSIA_OFFSET_MS);
}

/** The last day of a grant that names none: the same day 12 months on, or the month's last when it has no such day. */
export function computeDefaultLastDay(now: Date): string {
  const [year, month, day] = toMalaysianDay(now).split('-').map(Number);
  const daysOfMonth = new Date(Date.UTC(year, month - 1 + VALIDITY_MONTHS + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + VALIDITY_MONTHS, Math.min(day, daysOfMonth))).toISOString().slice(0, 10);
}

/** Whether the text is a day of the calendar, as `YYYY-MM-DD`: 2027-02-29 is not. */
export function isCalendarDay(text: string): boolean {
  if (!DATE.test(text)) return false;
  const instant = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
}

/** Why a day cannot be the last one of a grant made now, without the name of what holds it; null when it can. */
export function findLastDayProblem(day: string, now: Date): string | null {
  if (!isCalendarDay(day)) return 'must be a valid calendar date, such as 2027-12-31';
  return day < toMalaysianDay(now) ? `${day} is in the past in Malaysia` : null;
}

/** The last day in Malaysia on which credits that expire at an instant can be spent. */
export function computeLastDayBefore(expiresAt: Date): string {
  return toMalaysianDay(new Date(expiresAt.getTime() - 1));
}
