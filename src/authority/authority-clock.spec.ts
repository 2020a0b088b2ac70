import { describe, expect, it } from 'vitest';
import { readClock } from './authority-clock.js';
import type { AuthorityResponse } from './ending.js';

const DATE = 'Thu, 26 Nov 2026 12:00:00 GMT';
const TIMES = { sentAtMs: 1_000, receivedAtMs: 3_000 };

function respond(headers: Record<string, string>, status = 200): AuthorityResponse {
  return { kind: 'response', status, headers, body: {}, text: '{}', correlationId: null };
}

describe('readClock', () => {
  it('adds half a second to the header date and assumes half of the round trip', () => {
    expect(readClock(respond({ date: DATE }), TIMES)).toEqual({
      date: new Date('2026-11-26T12:00:00.500Z'),
      atMs: 2_000,
    });
  });

  it('accepts a response with an Age of 0', () => {
    expect(readClock(respond({ date: DATE, age: '0' }), TIMES)).not.toBeNull();
  });

  it.each<[string, Parameters<typeof readClock>]>([
    ['a missing date', [respond({}), TIMES]],
    ['an empty date', [respond({ date: '' }), TIMES]],
    ['a date in another format', [respond({ date: '2026-11-26T12:00:00Z' }), TIMES]],
    ['a date with the wrong weekday', [respond({ date: 'Fri, 26 Nov 2026 12:00:00 GMT' }), TIMES]],
    ['a date that was sent twice', [respond({ date: `${DATE}, ${DATE}` }), TIMES]],
    ['a cached response', [respond({ date: DATE, age: '120' }), TIMES]],
    ['an error page', [respond({ date: DATE }, 503), TIMES]],
    ['a response that took a minute', [respond({ date: DATE }), { sentAtMs: 0, receivedAtMs: 60_000 }]],
    ['a lost response', [{ kind: 'no-response', reason: 'ECONNRESET', isGivenUp: false }, TIMES]],
  ])('ignores %s', (_, [ending, times]) => {
    expect(readClock(ending, times)).toBeNull();
  });
});
