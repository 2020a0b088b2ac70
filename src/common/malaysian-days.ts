const DAY_MS = 86_400_000;

/** Malaysia uses UTC+8 all year round. */
export const MALAYSIA_OFFSET_MS = 8 * 3_600_000;

export function toMalaysianDate(instant: Date): string {
  return new Date(instant.getTime() + MALAYSIA_OFFSET_MS).toISOString().slice(0, 10);
}

/** Returns midnight in Malaysia at the start of a date, or of the date `daysLater` days later. */
export function toMalaysianMidnight(date: string, daysLater = 0): Date {
  return new Date(Date.parse(`${date}T00:00:00Z`) - MALAYSIA_OFFSET_MS + daysLater * DAY_MS);
}

const DATE = /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const DAYS_OF_EVERY_MONTH = 28;

export function isCalendarDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  if (Number(text.slice(8)) <= DAYS_OF_EVERY_MONTH) return true;
  const midnight = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text);
}
