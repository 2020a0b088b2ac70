import { describe, expect, it } from 'vitest';
import { isCalendarDate, toMalaysianDate, toMalaysianMidnight } from './malaysian-days.js';

describe('toMalaysianDate', () => {
  it.each([
    ['2026-07-22T15:59:59.999Z', '2026-07-22'],
    ['2026-07-22T16:00:00.000Z', '2026-07-23'],
    ['2026-12-31T16:00:00.000Z', '2027-01-01'],
    ['2028-02-28T16:00:00.000Z', '2028-02-29'],
  ])('converts %s to %s', (instant, date) => {
    expect(toMalaysianDate(new Date(instant))).toBe(date);
  });
});

describe('isCalendarDate', () => {
  it.each(['2026-07-23', '2028-02-29', '2000-02-29', '2026-12-31', '0001-01-01'])('accepts %s', (text) => {
    expect(isCalendarDate(text)).toBe(true);
  });

  it.each([
    '2026-02-29',
    '2100-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '0000-01-01',
    '2026-1-1',
    '26-01-01',
    '2026-07-23T00:00:00Z',
    ' 2026-07-23',
    '2026-07-23\n',
    '２０２６-07-23',
    '',
  ])('rejects "%s"', (text) => {
    expect(isCalendarDate(text)).toBe(false);
  });
});

it('toMalaysianMidnight returns a time eight hours before midnight UTC', () => {
  expect(toMalaysianMidnight('2026-03-01').toISOString()).toBe('2026-02-28T16:00:00.000Z');
  expect(toMalaysianMidnight('2026-02-28', 1).toISOString()).toBe('2026-02-28T16:00:00.000Z');
});
