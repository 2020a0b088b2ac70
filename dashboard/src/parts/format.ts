// Everything is shown in Malaysian time, whatever the reader's own is; the zone is said once a page.
const MALAYSIA = 'Asia/Kuala_Lumpur';

const parts = new Intl.DateTimeFormat('en-CA', {
  timeZone: MALAYSIA,
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** Said beside what shows instants. */
export const ZONE = 'Malaysian time (UTC+8)';

/** `2026-01-31 16:00:05`. */
export function dateTime(instant: string): string {
  return parts.format(new Date(instant)).replace(', ', ' ');
}

/** `2026-01-31 16:00`. */
export function minuteOf(instant: string): string {
  return dateTime(instant).slice(0, -3);
}

const ringgit = new Intl.NumberFormat('en-MY', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const whole = new Intl.NumberFormat('en-MY');

/** An amount in ringgit, without the currency: `1,234.50`. */
export function amount(value: number): string {
  return ringgit.format(value);
}

export function count(value: number): string {
  return whole.format(value);
}

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

/** A length of time in its two greatest units: `2 days 3 hours`. Below a minute: `less than a minute`. */
export function duration(seconds: number): string {
  const words: string[] = [];
  let left = seconds;
  for (const [size, name] of UNITS) {
    const number = Math.floor(left / size);
    left -= number * size;
    if (number > 0 && words.length < 2) words.push(`${number} ${name}${number === 1 ? '' : 's'}`);
    else if (words.length > 0) break;
  }
  return words.length === 0 ? 'less than a minute' : words.join(' ');
}

const DOCUMENT_TYPES: Record<string, string> = { invoice: 'Invoice', credit_note: 'Credit note' };

export function documentTypeName(documentType: string): string {
  return DOCUMENT_TYPES[documentType] ?? documentType;
}
