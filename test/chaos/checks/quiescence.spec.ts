import { describe, expect, it } from 'vitest';
import { StallDetector } from './quiescence.js';

describe('what is left', () => {
  /** Looked at every second; at which check it is given up, unchanged for ten. */
  function findStalledAt(values: readonly number[]): number {
    const decline = new StallDetector(10_000, 0);
    return values.findIndex((value, second) => decline.isStalled(value, second * 1_000));
  }
  const times = (count: number, value: number): number[] => Array.from({ length: count }, () => value);

  it('is waited for as long as it falls, however slowly', () => {
    const slowly = Array.from({ length: 100 }, (_, step) => times(10, 1_000 - step)).flat();
    expect(findStalledAt(slowly)).toBe(-1);
  });

  it('is given up when it is stuck, or goes up and down', () => {
    expect(findStalledAt([9, 8, ...times(20, 8)])).toBe(12);
    expect(findStalledAt([9, 8, ...times(20, 8).map((value, second) => value + (second % 2))])).toBe(12);
  });

  it('is given up when nobody can say', () => {
    expect(findStalledAt(times(20, Infinity))).toBe(11);
  });
});
