import { describe, expect, it } from 'vitest';
import { parseInstant, parseTimestamptz } from './instant.js';

describe('parseInstant', () => {
  it.each([
    ['2027-12-31T16:00:00Z', '2027-12-31T16:00:00.000Z'],
    ['2028-01-01T00:00+08:00', '2027-12-31T16:00:00.000Z'],
    ['2028-02-29T00:00:00.5Z', '2028-02-29T00:00:00.500Z'],
  ])('parses %s', (text, instant) => {
    expect(parseInstant(text)?.toISOString()).toBe(instant);
  });

  it.each([
    '2027-12-31',
    '2027-12-31T16:00:00',
    '2027-02-30T00:00:00Z',
    '2027-13-01T00:00:00Z',
    '2027-01-01T25:00Z',
    'x',
  ])('returns null for %s', (text) => {
    expect(parseInstant(text)).toBeNull();
  });
});

describe('parseTimestamptz', () => {
  it.each([
    ['2026-11-26 11:38:39+00', '2026-11-26T11:38:39.000Z'],
    ['2026-11-26 19:38:39.123456+08', '2026-11-26T11:38:39.123Z'],
    ['2026-11-26 17:08:39.5+05:30', '2026-11-26T11:38:39.500Z'],
    ['2026-11-26T11:38:39Z', '2026-11-26T11:38:39.000Z'],
  ])('reads %s', (text, instant) => {
    expect(parseTimestamptz(text)?.toISOString()).toBe(instant);
  });

  it.each(['2026-11-26 11:38:39', '2026-02-30 11:38:39+00', '2026-11-26 11:38+00', '2026-11-26 25:00:00+00'])(
    'returns null for %s',
    (text) => {
      expect(parseTimestamptz(text)).toBeNull();
    },
  );
});
