import { describe, expect, it } from 'vitest';
import {
  computeResendPauseSeconds,
  computeSendTimes,
  hasNoLookups,
  hasPassed,
  isTooLateToLookUp,
  isTooLateToResend,
} from './lookup-times.js';

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

describe('lookups of a call in doubt', () => {
  it.each([
    ['continue until 15 lookups have missed the documents', 14, 1_000, false],
    ['continue for 115 minutes', 15, 115, false],
    ['end after 115 minutes and 15 lookups', 15, 116, true],
  ])('%s', (_, lookups, minutes, isTooLate) => {
    expect(isTooLateToLookUp({ lookups, sentAt: minutesAgo(minutes), missingSince: null }, NOW)).toBe(isTooLate);
  });

  it('end 115 minutes after the first lookup if the stored send is in the future', () => {
    const call = { lookups: 15, sentAt: minutesAgo(-300) };
    expect(isTooLateToLookUp({ ...call, missingSince: minutesAgo(115) }, NOW)).toBe(false);
    expect(isTooLateToLookUp({ ...call, missingSince: minutesAgo(116) }, NOW)).toBe(true);
  });

  it('end after 116 lookups if the stored send is in the future and no lookup has missed the documents', () => {
    const call = { sentAt: minutesAgo(-300), missingSince: null };
    expect(isTooLateToLookUp({ ...call, lookups: 115 }, NOW)).toBe(false);
    expect(isTooLateToLookUp({ ...call, lookups: 116 }, NOW)).toBe(true);
  });

  it.each([
    ['the send to its end', { sent: 5, doubtful: 4, missing: 3, lookups: 2 }, [5, 3]],
    ['no later than the first lookup', { sent: 500, doubtful: 499, missing: 498, lookups: 9 }, [500, 498]],
    [
      'before the present if the send is in the future',
      { sent: -120, doubtful: -119, missing: null, lookups: 5 },
      [150, -120],
    ],
    [
      'before the present if the clock was set back during the send',
      { sent: 5, doubtful: 125, missing: null, lookups: 1 },
      [275, 0],
    ],
    [
      'the send if the clock moved ahead after the send',
      { sent: 122, doubtful: 121, missing: null, lookups: 1 },
      [122, 0],
    ],
    [
      'before the send if the clock was set back for the first lookup',
      { sent: 5, doubtful: 4, missing: 123, lookups: 3 },
      [273, 4],
    ],
    ['at most a day ahead', { sent: -6_000, doubtful: -6_000, missing: null, lookups: 1 }, [150, -1_440]],
  ] as const)('search from %s', (_, { sent, doubtful, missing, lookups }, [from, to]) => {
    const sentAt = minutesAgo(sent);
    const missingSince = missing === null ? null : minutesAgo(missing);
    expect(computeSendTimes({ sentAt, doubtfulSince: minutesAgo(doubtful), missingSince, lookups }, NOW)).toEqual({
      from: minutesAgo(from),
      to: minutesAgo(to),
    });
  });

  it.each([
    ['abandoned if a lookup is overdue 116 minutes after the send', 6, 116, 0, true],
    ['not abandoned while the next lookup is due soon', -1, 116, 0, false],
    ['not abandoned if only a clock jump makes a lookup overdue', 116, 120, 120, false],
  ])('are %s', (_, dueMinutes, sentMinutes, driftMinutes, isAbandoned) => {
    const call = { dueAt: minutesAgo(dueMinutes), sentAt: minutesAgo(sentMinutes) };
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
