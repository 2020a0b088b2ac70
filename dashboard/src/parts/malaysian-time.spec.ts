import { expect, it } from 'vitest';
import {
  computeDayEnd,
  formatDay,
  formatInstant,
  formatMalaysianDay,
  formatMalaysianSecond,
  formatMalaysianTime,
  listLastMonths,
} from './malaysian-time';

it('timestamps are formatted in Malaysian time, even across midnight', () => {
  expect(formatMalaysianTime('2026-01-31T08:05:59.999Z')).toBe('31 Jan 2026, 16:05');
  expect(formatMalaysianTime('2026-12-31T16:00:00Z')).toBe('1 Jan 2027, 00:00');
  expect(formatMalaysianSecond('2026-01-31T16:00:05.999Z')).toBe('1 Feb 2026, 00:00:05');
  expect(formatInstant('2026-01-31T15:59:59Z')).toBe('31 Jan 2026, 23:59 MYT');
  expect(formatMalaysianDay(Date.parse('2026-12-31T15:59:59Z'))).toBe('2026-12-31');
  expect(['2026-12-31', '2026-05-04', ''].map(formatDay)).toEqual(['31 Dec 2026', '4 May 2026', '']);
  expect(new Date(computeDayEnd('2026-12-31')).toISOString()).toBe('2026-12-31T15:59:59.000Z');
});

it('month list continues across the end of a year and in a leap year', () => {
  expect(listLastMonths(3, Date.parse('2027-12-31T16:00:00Z'))).toEqual([
    { from: '2028-01-01', to: '2028-01-31', name: 'Jan 2028' },
    { from: '2027-12-01', to: '2027-12-31', name: 'Dec 2027' },
    { from: '2027-11-01', to: '2027-11-30', name: 'Nov 2027' },
  ]);
  expect(listLastMonths(1, Date.parse('2028-02-29T15:59:59Z'))).toEqual([
    { from: '2028-02-01', to: '2028-02-29', name: 'Feb 2028' },
  ]);
});
