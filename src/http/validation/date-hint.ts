import { isCalendarDate, toMalaysianDate } from '../../common/malaysian-days.js';
import { didYouMean } from '../../common/nearest.js';

const DATE_CHARACTERS_MAX = 40;

interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/**
 * Suggests a date in the expected format. If day and month are ambiguous, suggests both readings, the Malaysian
 * order first.
 */
export function dateHint(value: unknown): string | undefined {
  if (typeof value === 'number') return describeReadings(readNumber(value));
  if (typeof value !== 'string' || value.length > DATE_CHARACTERS_MAX) return undefined;
  const text = value.trim();
  const instant = readInstantDate(text);
  if (instant !== undefined) return `use ${instant}, the date in Malaysia`;
  return describeReadings(readDate(text.replace(WEEKDAY, '').replace(TIME_OF_DAY, '')));
}

/** Suggests a correction of a well-formed date that does not exist, such as `2026-02-30`. */
export function calendarHint(text: string): string | undefined {
  const [year, month, day] = text.split('-').map(Number);
  if (month > 12 && isReal({ year, month: day, day: month })) {
    return `did you mean ${formatDate({ year, month: day, day: month })}?`;
  }
  if (year < 1 || month < 1 || month > 12 || day < 1) return undefined;
  return `the last day of that month is ${formatDate({ year, month, day: daysIn(year, month) })}`;
}

/** Returns the date in Malaysia at a timestamp. Without a time zone, returns the date of the timestamp itself. */
function readInstantDate(text: string): string | undefined {
  const [, date, time, zone] =
    /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|[+-]\d{2}:?\d{2})?$/i.exec(text) ?? [];
  if (date === undefined) return undefined;
  if (zone === undefined) return isCalendarDate(date) ? date : undefined;
  const instant = Date.parse(`${date}T${time}${zone.replace(/^([+-]\d{2}):?/, '$1:')}`);
  if (Number.isNaN(instant)) return undefined;
  const day = toMalaysianDate(new Date(instant));
  return isCalendarDate(day) ? day : undefined;
}

const WEEKDAY =
  /^(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?|isnin|selasa|rabu|khamis|jumaat|sabtu|ahad)[.,]?\s+/i;

const TIME_OF_DAY = /(?<=\d)[T\s]+\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]m)?$/i;

// A two-digit year may come first or last: `26-11-05` is in 2026, not in 2005.
const SHORT_YEAR_MIN = 2020;

const MONTHS = ['jan', 'feb', 'mar|mac', 'apr', 'may|mei', 'jun', 'jul', 'aug|ogo', 'sep', 'oct|okt', 'nov', 'dec|dis'];

/** Lists the possible readings of a date, most likely first, excluding dates that do not exist. */
function readDate(text: string): Parts[] {
  const [, one, two, year] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})$/.exec(text) ?? [];
  if (year !== undefined) {
    const yearLast = [toParts(year, two, one), toParts(year, one, two)];
    if (year.length === 4) return yearLast.filter(isReal);
    return [...yearLast, toParts(one, two, year)].filter((parts) => isReal(parts) && parts.year >= SHORT_YEAR_MIN);
  }
  const [, first, second, third] =
    /^(\d{4})[/.-](\d{1,2})[/.-](\d{1,2})$/.exec(text) ?? /^(\d{4})(\d{2})(\d{2})$/.exec(text) ?? [];
  if (first !== undefined)
    return [toParts(first, second, third), toParts(first, third, second)].filter(isReal).slice(0, 1);
  return readNamedMonth(text);
}

function readNamedMonth(text: string): Parts[] {
  const dayFirst = /^(\d{1,2})(?:st|nd|rd|th)?[\s.,/-]*([a-z]{3,9})[\s.,/-]*(\d{4}|\d{2})$/i.exec(text);
  const monthFirst = /^([a-z]{3,9})[\s.]+(\d{1,2})(?:st|nd|rd|th)?[\s,]+(\d{4})$/i.exec(text);
  const [day, name, year] = dayFirst?.slice(1) ?? [monthFirst?.[2], monthFirst?.[1], monthFirst?.[3]];
  const month = MONTHS.findIndex((names) => names.split('|').includes(name?.slice(0, 3).toLowerCase() ?? '')) + 1;
  return [toParts(year ?? '', String(month), day ?? '')].filter(isReal);
}

// Spreadsheets count days since 1899-12-30. The range covers 2000-01-01 to 2099-12-31.
const [SERIAL_MIN, SERIAL_MAX] = [36_526, 73_050];
const SERIAL_OF_1970 = 25_569;
const DAY_MS = 86_400_000;

function readNumber(value: number): Parts[] {
  if (!Number.isInteger(value)) return [];
  if (value < SERIAL_MIN || value > SERIAL_MAX) return readDate(String(value));
  const date = new Date((value - SERIAL_OF_1970) * DAY_MS);
  return [{ year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }];
}

function toParts(year: string, month: string, day: string): Parts {
  return { year: year.length === 2 ? 2000 + Number(year) : Number(year), month: Number(month), day: Number(day) };
}

function describeReadings(readings: readonly Parts[]): string | undefined {
  const dates = [...new Set(readings.map(formatDate))];
  return dates.length === 1 ? `use ${dates[0]}` : didYouMean(dates);
}

function isReal({ year, month, day }: Parts): boolean {
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return last.getUTCDate();
}

function formatDate({ year, month, day }: Parts): string {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
