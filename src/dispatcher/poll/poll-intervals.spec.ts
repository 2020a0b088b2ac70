import { describe, expect, it } from 'vitest';
import { computeNextWatchAt, computeSecondsToNextPoll } from './poll-intervals.js';

const shortest = (): number => 0;
const longest = (): number => 1;

describe('the interval until the next poll', () => {
  it('grows from 3 seconds to 5 minutes', () => {
    const seconds = Array.from({ length: 10 }, (_, polls) => computeSecondsToNextPoll(polls, shortest));
    expect(seconds).toEqual([3, 5, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it.each([0, 1, 7, 100])('is up to a fifth longer after %i polls, so that submissions spread out', (polls) => {
    const seconds = computeSecondsToNextPoll(polls, shortest);
    expect(computeSecondsToNextPoll(polls, longest)).toBeCloseTo(seconds * 1.2);
    expect(computeSecondsToNextPoll(polls, () => 0.5)).toBeCloseTo(seconds * 1.1);
  });

  it.each([60, 3_600, 24 * 3_600])('is up to a fifth longer %i seconds after validation', (age) => {
    const now = new Date('2026-03-01T00:00:00Z');
    const validatedAt = new Date(now.getTime() - age * 1_000);
    const wait = (random: () => number): number =>
      (computeNextWatchAt(validatedAt, now, random)?.getTime() ?? Number.NaN) - now.getTime();
    expect(wait(longest)).toBeCloseTo(wait(shortest) * 1.2);
  });
});
