import { describe, expect, it } from 'vitest';
import { computeSpread } from '../../bench/measure/statistics.js';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('the spread of a comparison', () => {
  it('contains median, minimum and maximum', () => {
    expect(computeSpread([1.2, 0.8, 1, 0.9, 1.1])).toMatchObject({ median: 1, least: 0.8, most: 1.2 });
  });

  it('has no interval for fewer than six values', () => {
    expect(computeSpread(upTo(5)).interval).toBeNull();
    expect(computeSpread(upTo(6)).interval).toEqual([1, 6]);
  });

  // Published tables of the sign test: ranks of a 95 % confidence interval of the median.
  it.each([
    [8, 1, 8],
    [9, 2, 8],
    [12, 3, 10],
    [18, 5, 14],
    [20, 6, 15],
    [50, 18, 33],
  ])('has the interval of the sign test for %i values', (count, from, to) => {
    expect(computeSpread(upTo(count)).interval).toEqual([from, to]);
  });

  it('is unaffected by a single disturbed round', () => {
    const even = Array.from({ length: 11 }, () => 1);
    expect(computeSpread([...even, 0.1])).toEqual({ median: 1, least: 0.1, most: 1, interval: [1, 1] });
  });
});
