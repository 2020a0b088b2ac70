import { describe, expect, it } from 'vitest';
import { StallDetector } from './quiescence.js';

describe('StallDetector with a limit of ten seconds', () => {
  /** Checks one value per second and returns the index of the first stalled check, or -1. */
  function findStalledAt(values: readonly number[]): number {
    const decline = new StallDetector(10_000, 0);
    return values.findIndex((value, second) => decline.isStalled(value, second * 1_000));
  }
  const times = (count: number, value: number): number[] => Array.from({ length: count }, () => value);

  it('does not report a stall while the value falls slowly', () => {
    const slowly = Array.from({ length: 100 }, (_, step) => times(10, 1_000 - step)).flat();
    expect(findStalledAt(slowly)).toBe(-1);
  });

  it('reports a stall when the value is constant or oscillates', () => {
    expect(findStalledAt([9, 8, ...times(20, 8)])).toBe(12);
    expect(findStalledAt([9, 8, ...times(20, 8).map((value, second) => value + (second % 2))])).toBe(12);
  });

  it('reports a stall when the value is unknown', () => {
    expect(findStalledAt(times(20, Infinity))).toBe(11);
  });
});
