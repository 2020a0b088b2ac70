// Malaysia uses UTC+8 all year.
const OFFSET_MS = 8 * 3_600_000;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Formats `2026-01-31` as `31 Jan 2026`. Returns any other text unchanged. */
export function formatDay(day: string): string {
  const [, year, month, date] = /^(\d{4})-(0[1-9]|1[0-2])-(\d\d)$/.exec(day) ?? [];
  return year === undefined ? day : `${Number(date)} ${MONTHS[Number(month) - 1]} ${year}`;
}

/** Formats a timestamp in Malaysian time to the minute, such as `31 Jan 2026, 16:05`. */
export function formatMalaysianTime(instant: string): string {
  return formatShifted(instant, 16);
}

/** Formats a timestamp in Malaysian time to the second, such as `31 Jan 2026, 16:05:09`. */
export function formatMalaysianSecond(instant: string): string {
  return formatShifted(instant, 19);
}

function formatShifted(instant: string, end: number): string {
  const [day, time] = shifted(Date.parse(instant)).slice(0, end).split('T');
  return `${formatDay(day)}, ${time}`;
}

/** Formats a timestamp with its time zone, such as `31 Jan 2026, 16:05 MYT`. */
export function formatInstant(instant: string): string {
  return `${formatMalaysianTime(instant)} MYT`;
}

// Ignores matches in quotation marks or document numbers because users wrote them.
const INSTANT = /(?<![\w"-])\d{4}-\d\d-\d\dT[\d:.]+Z(?![\w"-])/g;
const DAY = /(?<![\w"-])\d{4}-\d\d-\d\d(?![\w"-])/g;

/** Formats the timestamps and dates in a text of the API. */
export function formatTimesIn(text: string): string {
  // Keeps text that only looks like a timestamp.
  return text
    .replaceAll(INSTANT, (instant) => (Number.isNaN(Date.parse(instant)) ? instant : formatInstant(instant)))
    .replaceAll(DAY, (day) => (Number.isNaN(Date.parse(day)) ? day : formatDay(day)));
}

/** Returns the date in Malaysia, such as `2026-01-31`. */
export function formatMalaysianDay(instant: number = Date.now()): string {
  return shifted(instant).slice(0, 10);
}

/** Month with its first and last date and its name, such as `Jan 2026`. */
export interface Month {
  from: string;
  to: string;
  name: string;
}

/** Returns the current month in Malaysia and the months before it. */
export function listLastMonths(count: number, instant: number = Date.now()): Month[] {
  const [year, month] = formatMalaysianDay(instant).split('-').map(Number);
  return Array.from({ length: count }, (_, back) => {
    const from = new Date(Date.UTC(year, month - 1 - back, 1)).toISOString().slice(0, 10);
    const to = new Date(Date.UTC(year, month - back, 0)).toISOString().slice(0, 10);
    return { from, to, name: formatDay(from).slice(2) };
  });
}

/** Returns the end of a day in Malaysia as a timestamp. */
export function computeDayEnd(day: string): string {
  return `${day}T23:59:59+08:00`;
}

function shifted(instant: number): string {
  return new Date(instant + OFFSET_MS).toISOString();
}
