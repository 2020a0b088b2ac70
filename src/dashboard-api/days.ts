import { toMalaysianDate, toMalaysianMidnight } from '../common/malaysian-days.js';

/** Inclusive range of Malaysian days (`YYYY-MM-DD`). Null means an open end. */
export interface Days {
  readonly from: string | null;
  readonly to: string | null;
}

/** Lists the `count` Malaysian days up to the day of `until`, earliest first. */
export function listLastDays(count: number, until: Date): string[] {
  const last = toMalaysianDate(until);
  return Array.from({ length: count }, (_, index) => toMalaysianDate(toMalaysianMidnight(last, index + 1 - count)));
}

/** Range of ids that includes `first` and excludes `end`. */
export interface IdRange {
  readonly first: string;
  readonly end: string;
}

const EVERY_ID: IdRange = {
  first: '00000000-0000-0000-0000-000000000000',
  end: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

const TIME_HEX_DIGITS = 12;

/**
 * Returns the lowest possible id of rows created at or after a time. Ids are UUIDv7, which start with the milliseconds
 * of `created_at`. Times before 1970 return the lowest id.
 */
export function computeFirstId(instant: Date): string {
  const time = Math.max(0, instant.getTime()).toString(16).padStart(TIME_HEX_DIGITS, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** Returns the id range of rows created on these days, limited to rows after the row `after` in descending order. */
export function computeIdRange({ from, to }: Days, after: string | null): IdRange {
  const first = from === null ? EVERY_ID.first : computeFirstId(toMalaysianMidnight(from));
  const end = to === null ? EVERY_ID.end : computeFirstId(toMalaysianMidnight(to, 1));
  // Lower-case ids sort like strings.
  return { first, end: after !== null && after.toLowerCase() < end ? after.toLowerCase() : end };
}
