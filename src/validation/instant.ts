import { isCalendarDate } from '../common/malaysian-days.js';

// A date alone would leave open which day ends where.
export const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;
export const INSTANT_EXAMPLE = '2027-12-31T16:00:00Z';

/** The instant that a text with a zone says; null when it says none, or one of a day that no calendar has. */
export function parseInstant(text: string): Date | null {
  const instant = new Date(INSTANT.test(text) ? text : Number.NaN);
  return Number.isNaN(instant.getTime()) || !isCalendarDate(text.slice(0, 10)) ? null : instant;
}
