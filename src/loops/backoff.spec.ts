import { describe, expect, it } from 'vitest';
import { computePauseMs } from './backoff.js';

describe('The pause before the next tick', () => {
  it('doubles with each failed tick in a row, up to five seconds', () => {
    const pauses = [0, 1, 2, 3, 4, 5, 1_000].map((failures) => computePauseMs(250, failures));
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  it('is the interval of a loop whose interval is longer', () => {
    expect([0, 1, 9].map((failures) => computePauseMs(30_000, failures))).toEqual([30_000, 30_000, 30_000]);
  });
});
