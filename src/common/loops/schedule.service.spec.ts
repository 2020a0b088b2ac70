import { describe, expect, it } from 'vitest';
import { RepeatedErrors, computePauseMs } from './schedule.service.js';

describe('computePauseMs', () => {
  it('doubles with each consecutive failure, up to five seconds', () => {
    const pauses = [0, 1, 2, 3, 4, 5, 1_000].map((failures) => computePauseMs(250, failures));
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  it('never falls below the interval of the loop', () => {
    expect([0, 1, 9].map((failures) => computePauseMs(30_000, failures))).toEqual([30_000, 30_000, 30_000]);
  });
});

describe('RepeatedErrors', () => {
  it('logs the same error once per minute with the number of repetitions', () => {
    const errors = new RepeatedErrors();
    const logged = Array.from({ length: 601 }, (_, index) => errors.note('submit', 'disk full', index * 200));
    expect(logged.filter((count) => count !== null)).toEqual([0, 299, 299]);
  });

  it('counts loops and messages separately', () => {
    const errors = new RepeatedErrors();
    expect(errors.note('submit', 'disk full', 0)).toBe(0);
    expect(errors.note('poll', 'disk full', 1)).toBe(0);
    expect(errors.note('submit', 'connection refused', 2)).toBe(0);
    expect(errors.note('submit', 'disk full', 3)).toBeNull();
  });

  it('limits the number of remembered messages', () => {
    const errors = new RepeatedErrors();
    for (let row = 0; row < 1_000; row += 1) expect(errors.note('submit', `row ${row}`, 0)).toBe(0);
    expect(errors.note('submit', 'row 999', 1)).toBeNull();
    expect(errors.note('submit', 'row 0', 1)).toBe(0);
  });
});
