import { isCalendarDate, toMalaysianDate } from '../common/malaysian-days.js';

const DATE_CHARACTERS_MAX = 40;

interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** The date that was meant by another way of writing one: `24/07/2026` is 2026-07-24. */
export function dateHint(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > DATE_CHARACTERS_MAX) return undefined;
  const text = value.trim();
  const instant = readInstantDate(text);
  if (instant !== undefined) return `use ${instant}, the date in Malaysia`;
  const parts = parseParts(text);
  return parts === undefined ? undefined : describeDate(parts);
}

/** What is wrong with a date of the right form that no calendar has: `2026-02-30`. */
export function calendarHint(text: string): string | undefined {
  const [year, month, day] = text.split('-').map(Number);
  if (month > 12 && isReal({ year, month: day, day: month })) {
    return `did you mean ${formatDate({ year, month: day, day: month })}?`;
  }
  if (year < 1 || month < 1 || month > 12 || day < 1) return undefined;
  return `the last day of that month is ${formatDate({ year, month, day: daysIn(year, month) })}`;
}

/** The day in Malaysia of an ISO date with a time; without a zone the date stands as it is. */
function readInstantDate(text: string): string | undefined {
  const [, date, zone] =
    /^(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/i.exec(text) ?? [];
  if (date === undefined) return undefined;
  if (zone === undefined) return isCalendarDate(date) ? date : undefined;
  const instant = Date.parse(text.replace(' ', 'T'));
  if (Number.isNaN(instant)) return undefined;
  const day = toMalaysianDate(new Date(instant));
  return isCalendarDate(day) ? day : undefined;
}

// The day first, as Malaysia writes it; or the year first.
function parseParts(text: string): Parts | undefined {
  const [, day, month, year] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(text) ?? [];
  if (year !== undefined) return { year: Number(year), month: Number(month), day: Number(day) };
  const [, first, second, third] =
    /^(\d{4})[/.-](\d{1,2})[/.-](\d{1,2})$/.exec(text) ?? /^(\d{4})(\d{2})(\d{2})$/.exec(text) ?? [];
  if (first === undefined) return undefined;
  return { year: Number(first), month: Number(second), day: Number(third) };
}

function describeDate(parts: Parts): string | undefined {
  const swapped = { ...parts, month: parts.day, day: parts.month };
  if (isReal(parts)) return `use ${formatDate(parts)}`;
  return isReal(swapped) ? `use ${formatDate(swapped)}` : undefined;
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
