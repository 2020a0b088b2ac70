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

/** Ids from `first` on and before `end`. */
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
 * The least id of that time and later: ids are UUIDv7, which begin with the milliseconds of their row's created_at. No
 * id is of a time before 1970, which has no such number.
 */
export function computeFirstId(instant: Date): string {
  const time = Math.max(0, instant.getTime()).toString(16).padStart(TIME_HEX_DIGITS, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** The ids of the rows of some days in Malaysia, both included, that come after the last row of a page. */
export function computeIdRange({ from, to }: Days, after: string | null): IdRange {
  const first = from === null ? EVERY_ID.first : computeFirstId(toMalaysianMidnight(from));
  const end = to === null ? EVERY_ID.end : computeFirstId(toMalaysianMidnight(to, 1));
  // Written alike, ids are in the order of their texts.
  return { first, end: after !== null && after.toLowerCase() < end ? after.toLowerCase() : end };
}
