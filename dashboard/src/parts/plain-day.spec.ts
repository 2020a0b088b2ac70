import { describe, expect, it } from 'vitest';
import { formatDay } from './malaysian-time';
import { isInvalidDay, readDay, validateDay } from './plain-day';

describe('readDay', () => {
  it.each([
    ['22 Nov 2026', '2026-11-22'],
    ['22 November 2026', '2026-11-22'],
    ['22 nov, 2026', '2026-11-22'],
    ['22-Nov-2026', '2026-11-22'],
    ['2026-11-22', '2026-11-22'],
    ['22/11/2026', '2026-11-22'],
    ['22.11.2026', '2026-11-22'],
    ['  2/1/2026 ', '2026-01-02'],
    ['２２/１１/２０２６', '2026-11-22'],
    ['29 Feb 2028', '2028-02-29'],
    ['2 Sept 2026', '2026-09-02'],
  ])('reads %s as %s', (text, day) => {
    expect(readDay(text)).toBe(day);
  });

  it('reads 11/12/2026 as 11 December', () => {
    expect(readDay('11/12/2026')).toBe('2026-12-11');
  });

  it('reads every displayed date of ten years', () => {
    for (let at = Date.UTC(2020, 0, 1); at < Date.UTC(2030, 0, 1); at += 86_400_000) {
      const day = new Date(at).toISOString().slice(0, 10);
      expect(readDay(formatDay(day))).toBe(day);
      expect(readDay(day)).toBe(day);
    }
  });

  it.each(['22 Nov 2026', '22 November 2026', '2026-11-22', '22/11/2026', '1/1/2026'])(
    'rejects every incomplete prefix of %s',
    (text) => {
      const parts = Array.from({ length: text.length }, (_, length) => text.slice(0, length));
      expect(parts.map(readDay)).toEqual(parts.map(() => null));
    },
  );
});

describe('validateDay', () => {
  it.each([
    ['tomorrow', '“tomorrow” is not a date.'],
    ['22 Nov', '“22 Nov” is not a date.'],
    ['22 Foo 2026', '“22 Foo 2026” is not a date.'],
    ['22/11/26', '“22/11/26” needs a year of four digits.'],
    ['22 Nov 26', '“22 Nov 26” needs a year of four digits.'],
    ['5 Apr 0002', '“5 Apr 0002” is before the year 2000.'],
    ['31 Dec 1999', '“31 Dec 1999” is before the year 2000.'],
    ['11/22/2026', '“11/22/2026” has no month 22.'],
    ['31/2/2026', '“31/2/2026” is not a day of the calendar.'],
    ['29 Feb 2026', '“29 Feb 2026” is not a day of the calendar.'],
    ['0/1/2026', '“0/1/2026” is not a day of the calendar.'],
    ['2026-02-31', '“31 Feb 2026” is not a day of the calendar.'],
    ['2026-13-01', '“2026-13-01” has no month 13.'],
  ])('explains why %s is invalid', (text, problem) => {
    expect(isInvalidDay(text)).toBe(true);
    expect(validateDay(text)).toBe(`${problem} Write a date as 22 Nov 2026.`);
  });

  it.each(['', '2026-11-22'])('accepts the value %j', (value) => {
    expect(isInvalidDay(value)).toBe(false);
    expect(validateDay(value)).toBeNull();
  });
});
