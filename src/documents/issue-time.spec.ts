import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toMalaysianDate } from '../common/malaysian-days.js';
import { isIssueTimeStale, chooseIssueTime } from './issue-time.js';

/** A time in Malaysia. */
const malaysian = (text: string): Date => new Date(`${text}+08:00`);

function issued(now: Date, documentDate: string, earlierAttempts = 0): { at: string; period: unknown } {
  const { issuedAt, period } = chooseIssueTime({ now, documentDate, earlierAttempts });
  return { at: issuedAt.toISOString(), period };
}

const issueAt = (text: string, period: unknown = null) => ({ at: malaysian(text).toISOString(), period });
const day = (date: string) => ({ start: date, end: date });

const seconds = fc.integer({ min: Date.UTC(2024, 0, 1) / 1_000, max: Date.UTC(2030, 0, 1) / 1_000 });
const instants = fc.tuple(seconds, fc.integer({ min: 0, max: 999 })).map(([s, ms]) => new Date(s * 1_000 + ms));
const attempts = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 200_000 }));
const cases = fc.record({ now: instants, daysAgo: fc.integer({ min: -1, max: 10 }), earlierAttempts: attempts });

function dateBefore(now: Date, days: number): string {
  return toMalaysianDate(new Date(now.getTime() - days * 86_400_000));
}

describe('chooseIssueTime', () => {
  it('returns one minute ago in whole seconds for a document dated today', () => {
    expect(issued(malaysian('2026-07-23T10:15:30.999'), '2026-07-23')).toEqual(issueAt('2026-07-23T10:14:30'));
  });

  it('returns the last second of an earlier document date in Malaysian time', () => {
    expect(issued(malaysian('2026-07-23T10:15:30'), '2026-07-22')).toEqual(issueAt('2026-07-22T23:59:59'));
    expect(issued(malaysian('2026-08-01T00:30:00'), '2026-07-31').at).toBe('2026-07-31T15:59:59.000Z');
    expect(issued(malaysian('2028-03-01T12:00:00'), '2028-02-29').at).toBe('2028-02-29T15:59:59.000Z');
    expect(issued(malaysian('2027-01-01T07:00:00'), '2026-12-31').at).toBe('2026-12-31T15:59:59.000Z');
  });

  it('stays within the day just after midnight in Malaysia', () => {
    expect(issued(malaysian('2026-07-23T00:00:30'), '2026-07-23')).toEqual(issueAt('2026-07-23T00:00:00'));
    expect(issued(malaysian('2026-07-23T00:00:00'), '2026-07-23')).toEqual(issueAt('2026-07-23T00:00:00'));
    expect(issued(malaysian('2026-07-23T00:01:01'), '2026-07-23')).toEqual(issueAt('2026-07-23T00:00:01'));
  });

  it('ignores midnight in UTC', () => {
    expect(issued(malaysian('2026-07-23T08:00:30'), '2026-07-23').at).toBe('2026-07-22T23:59:30.000Z');
  });

  it('subtracts one second per earlier attempt', () => {
    const now = malaysian('2026-07-23T10:15:30');
    expect([0, 1, 2].map((count) => issued(now, '2026-07-22', count).at)).toEqual([
      '2026-07-22T15:59:59.000Z',
      '2026-07-22T15:59:58.000Z',
      '2026-07-22T15:59:57.000Z',
    ]);
  });

  it('returns the document date as the period if the attempts reach the previous day', () => {
    const now = malaysian('2026-07-23T00:00:30');
    expect(issued(now, '2026-07-23', 2)).toEqual(issueAt('2026-07-22T23:59:58', day('2026-07-23')));
  });

  it('leaves the day if its last second is more than 71 hours ago', () => {
    // 23:59:59 and 71 hours.
    expect(issued(malaysian('2026-07-23T22:59:59.000'), '2026-07-20')).toEqual(issueAt('2026-07-20T23:59:59'));
    const later = malaysian('2026-07-23T22:59:59.001');
    expect(issued(later, '2026-07-20')).toEqual(issueAt('2026-07-23T22:58:59', day('2026-07-20')));
    expect(issued(malaysian('2026-07-23T22:59:59'), '2026-07-20', 1).period).toEqual(day('2026-07-20'));
    expect(issued(malaysian('2026-08-01T00:00:10'), '2026-02-28')).toEqual(
      issueAt('2026-07-31T23:59:10', day('2026-02-28')),
    );
  });

  it('never returns a time in the future', () => {
    const now = malaysian('2026-07-23T23:59:50');
    expect(issued(now, '2026-07-24')).toEqual(issueAt('2026-07-23T23:58:50', day('2026-07-24')));
  });

  it('returns whole seconds within the last 71 hours', () => {
    fc.assert(
      fc.property(cases, ({ now, daysAgo, earlierAttempts }) => {
        const { issuedAt } = chooseIssueTime({ now, documentDate: dateBefore(now, daysAgo), earlierAttempts });
        expect(issuedAt.getMilliseconds()).toBe(0);
        expect(issuedAt.getTime()).toBeLessThanOrEqual(now.getTime());
        expect(now.getTime() - issuedAt.getTime()).toBeLessThanOrEqual(71 * 3_600_000);
      }),
      { numRuns: 1_000 },
    );
  });

  it('includes the document date in the issue time or the period', () => {
    fc.assert(
      fc.property(cases, ({ now, daysAgo, earlierAttempts }) => {
        const documentDate = dateBefore(now, daysAgo);
        const { issuedAt, period } = chooseIssueTime({ now, documentDate, earlierAttempts });
        expect(period?.start ?? toMalaysianDate(issuedAt)).toBe(documentDate);
        expect(period === null).toBe(toMalaysianDate(issuedAt) === documentDate);
      }),
      { numRuns: 1_000 },
    );
  });

  it('returns a different time for a second attempt after at least one second', () => {
    const later = fc.integer({ min: 2_001, max: 71 * 3_600_000 });
    fc.assert(
      fc.property(instants, later, fc.integer({ min: 0, max: 4 }), (now, laterMs, daysAgo) => {
        const documentDate = dateBefore(now, daysAgo);
        const first = chooseIssueTime({ now, documentDate, earlierAttempts: 0 });
        const again = new Date(now.getTime() + laterMs);
        const second = chooseIssueTime({ now: again, documentDate, earlierAttempts: 1 });
        expect(second.issuedAt.getTime()).not.toBe(first.issuedAt.getTime());
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('issue times of repeated attempts', () => {
  it('differ for any interval between the attempts', () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(
        fc.date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true }),
        pauses,
        (start, ms) => {
          const taken: Date[] = [];
          let now = start;
          for (const pause of ms) {
            now = new Date(now.getTime() + pause);
            const documentDate = toMalaysianDate(start);
            taken.push(chooseIssueTime({ now, documentDate, earlierAttempts: taken.length, taken }).issuedAt);
          }
          expect(new Set(taken.map(Number)).size).toBe(taken.length);
        },
      ),
    );
  });
});

describe('document with the same number and TIN as others', () => {
  it('is issued one second before the others', () => {
    const now = malaysian('2026-07-23T10:15:30');
    const taken = [malaysian('2026-07-22T23:59:59'), malaysian('2026-07-22T23:59:58')];
    const { issuedAt, period } = chooseIssueTime({ now, documentDate: '2026-07-22', earlierAttempts: 0, taken });
    expect({ at: issuedAt.toISOString(), period }).toEqual(issueAt('2026-07-22T23:59:57'));
  });

  it('is issued one minute ago if the previous second is more than 71 hours ago', () => {
    const now = malaysian('2026-07-23T10:15:30');
    const oldest = malaysian('2026-07-20T11:15:30').getTime();
    const lastOfDay = malaysian('2026-07-20T23:59:59').getTime();
    const taken = Array.from(
      { length: (lastOfDay - oldest) / 1_000 + 1 },
      (_, index) => new Date(oldest + index * 1_000),
    );
    taken.push(malaysian('2026-07-23T10:14:30'));
    const { issuedAt, period } = chooseIssueTime({ now, documentDate: '2026-07-20', earlierAttempts: 0, taken });
    expect({ at: issuedAt.toISOString(), period }).toEqual(issueAt('2026-07-23T10:14:29', day('2026-07-20')));
  });
});

describe('document that requires an appointment', () => {
  const now = malaysian('2026-07-23T10:15:30');
  const choose = (documentDate: string, notBefore: Date, taken: readonly Date[] = []) => {
    const { issuedAt, period } = chooseIssueTime({
      now,
      documentDate,
      earlierAttempts: taken.length,
      taken,
      notBefore,
    });
    return { at: issuedAt.toISOString(), period };
  };

  it('keeps an issue time after the appointment', () => {
    expect(choose('2026-07-22', malaysian('2026-07-22T23:59:59'))).toEqual(issueAt('2026-07-22T23:59:59'));
  });

  it('is issued one minute ago if the appointment was earlier today', () => {
    const appointed = malaysian('2026-07-23T09:00:00');
    expect(choose('2026-07-22', appointed)).toEqual(issueAt('2026-07-23T10:14:30', day('2026-07-22')));
  });

  it('is issued at the appointment of the last minute, rounded up to a second', () => {
    const appointed = malaysian('2026-07-23T10:15:00.001');
    expect(choose('2026-07-22', appointed)).toEqual(issueAt('2026-07-23T10:15:01', day('2026-07-22')));
    expect(choose('2026-07-23', appointed)).toEqual(issueAt('2026-07-23T10:15:01'));
  });

  it('is issued one second after other documents with its number', () => {
    const appointed = malaysian('2026-07-23T10:15:00');
    const taken = [appointed, malaysian('2026-07-23T10:15:01')];
    expect(choose('2026-07-22', appointed, taken)).toEqual(issueAt('2026-07-23T10:15:02', day('2026-07-22')));
  });

  it('is never issued before the appointment or the previous attempt', () => {
    const pauses = fc.array(fc.integer({ min: 1_001, max: 90_000 }), { minLength: 1, maxLength: 8 });
    const notBefore = malaysian('2026-07-23T10:15:30');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999 }), fc.integer({ min: 0, max: 4 }), pauses, (ms, daysAgo, pausesMs) => {
        const documentDate = dateBefore(notBefore, daysAgo);
        const taken: Date[] = [];
        let time = notBefore.getTime() + ms;
        for (const pauseMs of pausesMs) {
          time += pauseMs;
          const attempt = { now: new Date(time), documentDate, earlierAttempts: taken.length, taken, notBefore };
          const { issuedAt } = chooseIssueTime(attempt);
          expect(issuedAt.getTime()).toBeGreaterThanOrEqual(notBefore.getTime());
          expect(issuedAt.getTime()).toBeGreaterThan(taken.at(-1)?.getTime() ?? 0);
          taken.push(issuedAt);
        }
      }),
    );
  });
});

describe('isIssueTimeStale', () => {
  it('returns true after more than 71 hours', () => {
    const issuedAt = new Date('2026-07-20T00:00:00Z');
    expect(isIssueTimeStale(issuedAt, new Date('2026-07-22T23:00:00.000Z'))).toBe(false);
    expect(isIssueTimeStale(issuedAt, new Date('2026-07-22T23:00:00.001Z'))).toBe(true);
    expect(isIssueTimeStale(issuedAt, new Date('2026-07-23T01:00:00Z'))).toBe(true);
  });
});
