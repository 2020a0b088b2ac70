import { describe, expect, it } from 'vitest';
import { computeNextWatchAt, computeSecondsToNextPoll } from './poll-intervals.js';

const shortest = (): number => 0;
const longest = (): number => 1;

describe('the interval until the next poll', () => {
  it('grows from 3 seconds to 5 minutes', () => {
    const seconds = Array.from({ length: 10 }, (_, polls) => computeSecondsToNextPoll(polls, shortest));
    expect(seconds).toEqual([3, 5, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it.each([0, 1, 7, 100])('is up to a fifth longer after %i polls', (polls) => {
    const seconds = computeSecondsToNextPoll(polls, shortest);
    expect(computeSecondsToNextPoll(polls, longest)).toBeCloseTo(seconds * 1.2);
    expect(computeSecondsToNextPoll(polls, () => 0.5)).toBeCloseTo(seconds * 1.1);
  });

  it.each([60, 3_600, 24 * 3_600])('is up to a fifth longer %i seconds after validation', (age) => {
    const now = new Date('2026-03-01T00:00:00Z');
    const validatedAt = new Date(now.getTime() - age * 1_000);
    const wait = (random: () => number): number =>
      (computeNextWatchAt(validatedAt, { now, authorityNow: null }, random)?.getTime() ?? Number.NaN) - now.getTime();
    expect(wait(longest)).toBeCloseTo(wait(shortest) * 1.2);
  });
});

describe('polls after validation', () => {
  const validatedAt = new Date('2026-03-01T00:00:00Z');
  const after = (hours: number | null): Date | null =>
    hours === null ? null : new Date(validatedAt.getTime() + hours * 3_600_000);

  it.each([
    ['end 72 hours later', 72, 72, true],
    ["continue while only the database's clock is ahead", 80, 1, false],
    ["continue while only the authority's clock is ahead", 1, 80, false],
    ['continue without a date of the authority', 80, null, false],
    ['end after 33 days without a date of the authority', 33 * 24, null, true],
  ])('%s', (_, hours, authorityHours, isEnd) => {
    const time = { now: after(hours) ?? validatedAt, authorityNow: after(authorityHours) };
    expect(computeNextWatchAt(validatedAt, time) === null).toBe(isEnd);
  });
});
