import { isCalendarDate } from '../../common/malaysian-days.js';

// A date without a time would leave the time zone of the day undefined.
export const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;
export const INSTANT_EXAMPLE = '2027-12-31T16:00:00Z';

/** Returns null for a string without a time zone or with a date that does not exist. */
export function parseInstant(text: string): Date | null {
  const instant = new Date(INSTANT.test(text) ? text : Number.NaN);
  return Number.isNaN(instant.getTime()) || !isCalendarDate(text.slice(0, 10)) ? null : instant;
}

const TIMESTAMPTZ =
  /^(?<date>\d{4}-\d{2}-\d{2}) (?<time>\d{2}:\d{2}:\d{2})(?<fraction>\.\d{1,6})?(?<offset>[+-]\d{2}(?::\d{2})?)$/;

/** Parses a timestamp with an offset, including PostgreSQL's format, and truncates it to milliseconds. */
export function parseTimestamptz(text: string): Date | null {
  const { date, time, fraction = '', offset } = TIMESTAMPTZ.exec(text)?.groups ?? {};
  if (offset === undefined) return parseInstant(text);
  const milliseconds = fraction.slice(0, '.000'.length);
  return parseInstant(`${date}T${time}${milliseconds}${offset.includes(':') ? offset : `${offset}:00`}`);
}
