const DAY_MS = 86_400_000;
// Malaysia keeps UTC+8 all year.
const OFFSET_MS = 8 * 3_600_000;

/** Days in Malaysia, `YYYY-MM-DD`, both included; null for no bound. */
export interface Days {
  readonly from: string | null;
  readonly to: string | null;
}

/** The day in Malaysia, `YYYY-MM-DD`. */
export function toMalaysianDay(instant: Date): string {
  return new Date(instant.getTime() + OFFSET_MS).toISOString().slice(0, 10);
}

/** When a day begins in Malaysia, or the one so many days later. */
export function toMalaysianMidnight(day: string, daysLater = 0): Date {
  return new Date(Date.parse(`${day}T00:00:00Z`) - OFFSET_MS + daysLater * DAY_MS);
}

/** The last days up to the one of an instant, the earliest first. */
export function listLastDays(count: number, until: Date): string[] {
  const last = toMalaysianDay(until);
  return Array.from({ length: count }, (_, index) => toMalaysianDay(toMalaysianMidnight(last, index + 1 - count)));
}

/** Whether a text is a day of the calendar, `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const instant = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
}
