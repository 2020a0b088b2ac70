import { formatDay } from './malaysian-time.js';

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const ISO = /^(\d{4})-(\d\d)-(\d\d)$/;
// Every notation ends in a fixed number of digits, so an incomplete date is never another valid date.
const DAY_FIRST = /^(\d{1,2})[\s./-]+(\d{1,2}|[a-z]{3,9})[\s.,/-]+(\d{4})$/i;
const FIRST_YEAR = 2000;

const EXAMPLE = 'Write a date as 22 Nov 2026.';

interface DateParts {
  year: number;
  month: number;
  date: number;
}

/** Parses a date such as 22 Nov 2026 or 22/11/2026 (day first) to ISO format. Returns null for any other text. */
export function readDay(text: string): string | null {
  const parts = readParts(text);
  return parts === null || findProblem(text, parts) !== null ? null : toIso(parts);
}

/** Whether the value is not a date. A form with such a value is not sent. */
export function isInvalidDay(value: string): boolean {
  return value !== '' && readDay(value) === null;
}

/** Returns the error message for an invalid date, or null. */
export function validateDay(value: string): string | null {
  if (!isInvalidDay(value)) return null;
  return `“${formatDay(value)}” ${findProblem(value, readParts(value))}. ${EXAMPLE}`;
}

function readParts(text: string): DateParts | null {
  const written = text.normalize('NFKC').trim();
  const [, year, month, date] = ISO.exec(written) ?? [];
  if (year !== undefined) return { year: Number(year), month: Number(month), date: Number(date) };
  const [, day, name, ofYear] = DAY_FIRST.exec(written) ?? [];
  if (day === undefined) return null;
  const found = /\d/.test(name) ? Number(name) : findMonth(name.toLowerCase());
  return found === 0 ? null : { year: Number(ofYear), month: found, date: Number(day) };
}

/** Returns 11 for `nov` and `november`, and 0 for an unknown name. */
function findMonth(name: string): number {
  return MONTHS.findIndex((month) => month.startsWith(name)) + 1;
}

function findProblem(text: string, parts: DateParts | null): string | null {
  if (parts === null) {
    return /^\D*\d{1,2}\D+\w+\D+\d{2}$/.test(text.trim()) ? 'needs a year of four digits' : 'is not a date';
  }
  if (parts.year < FIRST_YEAR) return `is before the year ${FIRST_YEAR}`;
  if (parts.month < 1 || parts.month > 12) return `has no month ${parts.month}`;
  return isOfCalendar(parts) ? null : 'is not a day of the calendar';
}

function isOfCalendar({ year, month, date }: DateParts): boolean {
  const found = new Date(Date.UTC(year, month - 1, date));
  return found.getUTCMonth() === month - 1 && found.getUTCDate() === date;
}

function toIso({ year, month, date }: DateParts): string {
  return [year, String(month).padStart(2, '0'), String(date).padStart(2, '0')].join('-');
}
