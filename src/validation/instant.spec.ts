import { describe, expect, it } from 'vitest';
import { parseInstant } from './instant.js';

describe('an instant', () => {
  it.each([
    ['2027-12-31T16:00:00Z', '2027-12-31T16:00:00.000Z'],
    ['2028-01-01T00:00+08:00', '2027-12-31T16:00:00.000Z'],
    ['2028-02-29T00:00:00.5Z', '2028-02-29T00:00:00.500Z'],
  ])('is what %s says', (text, instant) => {
    expect(parseInstant(text)?.toISOString()).toBe(instant);
  });

  it.each([
    '2027-12-31',
    '2027-12-31T16:00:00',
    '2027-02-30T00:00:00Z',
    '2027-13-01T00:00:00Z',
    '2027-01-01T25:00Z',
    'x',
  ])('is not what %s says', (text) => {
    expect(parseInstant(text)).toBeNull();
  });
});
