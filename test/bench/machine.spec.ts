import { describe, expect, it } from 'vitest';
import { compare, describeNoise, isQuiet, parseTicks } from '../../bench/machine.js';

const QUIET = { loadBefore: 0.2, before: { others: 0.01, stolen: 0 }, during: { others: 0.02, stolen: 0.01 } };

describe('the machine', () => {
  it('is quiet without load from other programs', () => {
    expect(isQuiet(QUIET, 2)).toBe(true);
    expect(isQuiet({ loadBefore: 0, before: null, during: null }, 2)).toBe(true);
    // The load average still includes exited programs.
    expect(isQuiet({ ...QUIET, loadBefore: 2 }, 2)).toBe(true);
    expect(describeNoise({ isQuiet: true, ...QUIET })).toBeNull();
  });

  it.each([
    ['a high load average and unknown CPU time', { loadBefore: 1.5, before: null, during: null }],
    ['other programs before the run', { ...QUIET, before: { others: 0.2, stolen: 0 } }],
    ['other programs during the run', { ...QUIET, during: { others: 0.2, stolen: 0 } }],
    ['other virtual machines during the run', { ...QUIET, during: { others: 0, stolen: 0.1 } }],
  ])('is not quiet with %s', (_, figures) => {
    expect(isQuiet(figures, 2)).toBe(false);
    expect(describeNoise({ isQuiet: false, ...figures })).toContain('Not on a quiet machine');
  });
});

describe('the disturbance of a run', () => {
  const before = { ticks: parseTicks('cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 2 3'), ownSeconds: 1 };
  const after = { ticks: parseTicks('cpu  150 10 120 950 10 5 5 50 0 0'), ownSeconds: 1.4 };

  it('is the CPU time of other programs and of other machines', () => {
    // Of 300 ticks, 90 are busy, including 40 of the run, and 50 are stolen.
    const disturbance = compare(before, after);
    expect(disturbance?.others).toBeCloseTo(50 / 300);
    expect(disturbance?.stolen).toBeCloseTo(50 / 300);
  });

  it('is null if the system does not report CPU time', () => {
    expect(compare(null, after)).toBeNull();
    expect(compare(before, before)).toBeNull();
  });
});
