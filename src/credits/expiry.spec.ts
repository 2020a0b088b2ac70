import { describe, expect, it } from 'vitest';
import { computeDefaultLastDay, computeMalaysianDayEnd } from './expiry.js';

describe('computeMalaysianDayEnd', () => {
  it('returns midnight in Malaysia after the day', () => {
    expect(computeMalaysianDayEnd('2026-11-20').toISOString()).toBe('2026-11-20T16:00:00.000Z');
    expect(computeMalaysianDayEnd('2026-12-31').toISOString()).toBe('2026-12-31T16:00:00.000Z');
  });
});

describe('computeDefaultLastDay', () => {
  it.each([
    ['2026-11-20T08:00:00Z', '2027-11-20'],
    ['2026-12-31T15:59:59Z', '2027-12-31'],
    ['2026-12-31T16:00:00Z', '2028-01-01'],
    ['2028-02-29T00:00:00Z', '2029-02-28'],
    ['2027-02-28T00:00:00Z', '2028-02-28'],
  ])('returns the Malaysian day one year after %s: %s', (now, day) => {
    expect(computeDefaultLastDay(new Date(now))).toBe(day);
  });
});
