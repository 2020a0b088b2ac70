import { describe, expect, it } from 'vitest';
import {
  computeResendPauseSeconds,
  hasNoLookups,
  hasPassed,
  isTooLateToLookUp,
  isTooLateToResend,
} from './reconcile-plan.js';

const NOW = new Date('2026-11-26T08:00:00Z');

function minutesAgo(minutes: number): Date {
  return new Date(NOW.getTime() - minutes * 60_000);
}

function present(driftMinutes: number): { now: Date; driftSeconds: number } {
  return { now: NOW, driftSeconds: driftMinutes * 60 };
}

describe('a resend', () => {
  it.each([
    ['possible 100 minutes after the first send', 100, 0, false],
    ['too late 101 minutes after the first send', 101, 0, true],
    ['too late after 30 minutes by a clock that may have been set back by 71', 30, 71, true],
    ['too late when the first send is in the future', -1, 0, true],
  ])('is %s', (_, minutes, driftMinutes, isTooLate) => {
    expect(isTooLateToResend(minutesAgo(minutes), present(driftMinutes))).toBe(isTooLate);
  });

  it('waits longer after each refusal, up to an hour', () => {
    expect([1, 2, 3, 4, 5, 50].map((sends) => computeResendPauseSeconds(sends) / 60)).toEqual([4, 8, 16, 32, 60, 60]);
  });
});

describe('lookups', () => {
  it.each([
    ['continue until 15 have missed the documents', 14, 1_000, false],
    ['continue for 115 minutes', 15, 115, false],
    ['end after 115 minutes and 15 lookups', 15, 116, true],
  ])('%s', (_, looks, minutes, isTooLate) => {
    expect(isTooLateToLookUp({ looks, sentAt: minutesAgo(minutes) }, NOW)).toBe(isTooLate);
  });

  it.each([
    ['abandoned when one is overdue 116 minutes after the send', 6, 116, 0, true],
    ['not abandoned while the next one is due soon', -1, 116, 0, false],
    ['not abandoned when only a jump of the clock makes one overdue', 116, 120, 120, false],
  ])('are %s', (_, lookMinutes, sentMinutes, driftMinutes, isAbandoned) => {
    const call = { nextLookAt: minutesAgo(lookMinutes), sentAt: minutesAgo(sentMinutes) };
    expect(hasNoLookups(call, present(driftMinutes))).toBe(isAbandoned);
  });
});

describe('a minute', () => {
  it.each([
    ['has', 1, 0, true],
    ['has not', 0.9, 0, false],
    ['has not', 20, 20, false],
    ['has not', -5, 0, false],
  ])('%s passed after %d minutes by a clock that moved by up to %d minutes', (_, minutes, driftMinutes, isPassed) => {
    expect(hasPassed(minutesAgo(minutes), 1, present(driftMinutes))).toBe(isPassed);
  });
});
