// Malaysia keeps UTC+8 all year.
const OFFSET_MS = 8 * 3_600_000;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `31 Jan 2026` of `2026-01-31`; a text that is no day stays as it is. */
export function formatDay(day: string): string {
  const [, year, month, date] = /^(\d{4})-(0[1-9]|1[0-2])-(\d\d)$/.exec(day) ?? [];
  return year === undefined ? day : `${Number(date)} ${MONTHS[Number(month) - 1]} ${year}`;
}

/** `31 Jan 2026, 16:05`: an instant on a clock in Malaysia, to the minute. */
export function formatMalaysianTime(instant: string): string {
  return formatShifted(instant, 16);
}

/** `31 Jan 2026, 16:05:09`: the same to the second, where steps follow each other closely. */
export function formatMalaysianSecond(instant: string): string {
  return formatShifted(instant, 19);
}

function formatShifted(instant: string, end: number): string {
  const [day, time] = shifted(Date.parse(instant)).slice(0, end).split('T');
  return `${formatDay(day)}, ${time}`;
}

/** To the minute with its zone, for a sentence: `31 Jan 2026, 16:05 MYT`. */
export function formatInstant(instant: string): string {
  return `${formatMalaysianTime(instant)} MYT`;
}

// Not within quotation marks or a number of a document: what somebody has written stays as it is.
const INSTANT = /(?<![\w"-])\d{4}-\d\d-\d\dT[\d:.]+Z(?![\w"-])/g;
const DAY = /(?<![\w"-])\d{4}-\d\d-\d\d(?![\w"-])/g;

/** A text of the API with its instants and days as pages write them. */
export function formatTimesIn(text: string): string {
  // Texts of others are among them: what only looks like an instant stays as it is.
  return text
    .replaceAll(INSTANT, (instant) => (Number.isNaN(Date.parse(instant)) ? instant : formatInstant(instant)))
    .replaceAll(DAY, (day) => (Number.isNaN(Date.parse(day)) ? day : formatDay(day)));
}

/** `2026-01-31`: the day that it is in Malaysia, as fields and the API have it. */
export function formatMalaysianDay(instant: number = Date.now()): string {
  return shifted(instant).slice(0, 10);
}

/** A month by its first and its last day, `2026-01-01` and `2026-01-31`, and its name, `Jan 2026`. */
export interface Month {
  from: string;
  to: string;
  name: string;
}

/** The month that it is in Malaysia, and those before it. */
export function listLastMonths(count: number, instant: number = Date.now()): Month[] {
  const [year, month] = formatMalaysianDay(instant).split('-').map(Number);
  return Array.from({ length: count }, (_, back) => {
    const from = new Date(Date.UTC(year, month - 1 - back, 1)).toISOString().slice(0, 10);
    const to = new Date(Date.UTC(year, month - back, 0)).toISOString().slice(0, 10);
    return { from, to, name: formatDay(from).slice(2) };
  });
}

/** The end of a day in Malaysia, as the API takes instants. */
export function computeDayEnd(day: string): string {
  return `${day}T23:59:59+08:00`;
}

function shifted(instant: number): string {
  return new Date(instant + OFFSET_MS).toISOString();
}
