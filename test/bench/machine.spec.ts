import { describe, expect, it } from 'vitest';
import { compare, describeNoise, isQuiet, parseTicks } from '../../bench/machine.js';

const QUIET = { loadBefore: 0.2, before: { others: 0.01, stolen: 0 }, during: { others: 0.02, stolen: 0.01 } };

describe('a machine', () => {
  it('is quiet when nothing else ran, or the system does not tell', () => {
    expect(isQuiet(QUIET, 2)).toBe(true);
    expect(isQuiet({ loadBefore: 0, before: null, during: null }, 2)).toBe(true);
    // Of what has just ended.
    expect(isQuiet({ ...QUIET, loadBefore: 2 }, 2)).toBe(true);
    expect(describeNoise({ isQuiet: true, ...QUIET })).toBeNull();
  });

  it.each([
    ['a load before it, and no word of the system', { loadBefore: 1.5, before: null, during: null }],
    ['other programs before it', { ...QUIET, before: { others: 0.2, stolen: 0 } }],
    ['other programs during it', { ...QUIET, during: { others: 0.2, stolen: 0 } }],
    ['other machines during it', { ...QUIET, during: { others: 0, stolen: 0.1 } }],
  ])('is not quiet with %s, and the run says so', (_, figures) => {
    expect(isQuiet(figures, 2)).toBe(false);
    expect(describeNoise({ isQuiet: false, ...figures })).toContain('Not on a quiet machine');
  });
});

describe('what disturbs a run', () => {
  const before = { ticks: parseTicks('cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 2 3'), ownSeconds: 1 };
  const after = { ticks: parseTicks('cpu  150 10 120 950 10 5 5 50 0 0'), ownSeconds: 1.4 };

  it('is the busy time that is not its own, and the time of other machines', () => {
    // Of 300 ticks 90 were busy, 40 of them its own, and 50 stolen.
    const disturbance = compare(before, after);
    expect(disturbance?.others).toBeCloseTo(50 / 300);
    expect(disturbance?.stolen).toBeCloseTo(50 / 300);
  });

  it('is unknown where the system does not tell', () => {
    expect(compare(null, after)).toBeNull();
    expect(compare(before, before)).toBeNull();
  });
});
