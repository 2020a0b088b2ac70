import { toMalaysianDate, toMalaysianMidnight } from '../common/malaysian-days.js';

/** Days in Malaysia, `YYYY-MM-DD`, both included; null for no bound. */
export interface Days {
  readonly from: string | null;
  readonly to: string | null;
}

/** The last days up to the one of an instant, the earliest first. */
export function listLastDays(count: number, until: Date): string[] {
  const last = toMalaysianDate(until);
  return Array.from({ length: count }, (_, index) => toMalaysianDate(toMalaysianMidnight(last, index + 1 - count)));
}
