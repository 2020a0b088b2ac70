import { describe, expect, it } from 'vitest';
import { findRetryRule, planRetry, readRetryAfter } from './retries.js';

const failure = (status: number | null, code: string | null = null, retryAfterSeconds: number | null = null) => ({
  status,
  code,
  retryAfterSeconds,
});

describe('request with the same key', () => {
  // Covers the retry guidance of the API and the client guide, and responses of proxies.
  it.each([
    ['is repeated', null, null, 'unknown'],
    ['is repeated', 200, null, 'unknown'],
    ['is repeated', 408, 'request_timeout', 'unread'],
    ['is repeated', 409, 'idempotency_key_in_progress', 'unknown'],
    ['is repeated', 429, 'rate_limited', 'unread'],
    ['is repeated', 429, 'too_many_concurrent_requests', 'unread'],
    ['is repeated', 429, 'large_body_share_exceeded', 'unread'],
    ['is repeated', 429, null, 'unread'],
    ['is repeated', 500, 'internal_error', 'unknown'],
    ['is repeated', 502, null, 'unknown'],
    ['is repeated', 503, 'service_unavailable', 'unknown'],
    ['is repeated', 503, 'authority_unavailable', 'unknown'],
    ['is repeated', 504, null, 'unknown'],
    ['is repeated', 599, 'a_code_of_tomorrow', 'unknown'],
    ['is not repeated', 0, null, 'unread'],
    ['is not repeated', 302, null, 'unread'],
    ['is not repeated', 400, 'validation_failed', 'decided'],
    ['is not repeated', 400, 'supplier_not_verified', 'decided'],
    ['is not repeated', 400, 'malformed_json', 'unread'],
    ['is not repeated', 400, 'idempotency_key_invalid', 'unread'],
    ['is not repeated', 400, 'a_code_of_tomorrow', 'unread'],
    ['is not repeated', 401, 'api_key_revoked', 'unread'],
    ['is not repeated', 402, 'insufficient_credits', 'decided'],
    ['is not repeated', 403, null, 'unread'],
    ['is not repeated', 404, 'document_not_found', 'decided'],
    ['is not repeated', 404, 'route_not_found', 'unread'],
    ['is not repeated', 409, 'idempotency_key_reused', 'decided'],
    ['is not repeated', 409, 'duplicate_document', 'decided'],
    ['is not repeated', 409, 'document_not_valid', 'decided'],
    ['is not repeated', 409, 'cancellation_in_progress', 'decided'],
    ['is not repeated', 409, 'cancellation_window_closed', 'decided'],
    ['is not repeated', 409, 'active_referencing_documents', 'decided'],
    ['is not repeated', 409, 'a_code_of_tomorrow', 'unread'],
    ['is not repeated', 413, 'body_too_large', 'unread'],
    ['is not repeated', 503, 'not_appointed', 'decided'],
  ] as const)('%s after %s %s, with the key state %s', (title, status, code, key) => {
    const isRepeated = title === 'is repeated';
    expect(findRetryRule({ status, code })).toMatchObject({ isRepeated, key });
    const waitMs = planRetry(failure(status, code), { attempt: 1, attemptsMax: 2, random: 0 });
    expect(waitMs !== null).toBe(isRepeated);
  });
});

describe('wait before the next attempt', () => {
  it.each([
    ['doubles without Retry-After', null, [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000], 0],
    ['is at most 30 s without Retry-After', null, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000], 1],
    ['is never shorter than Retry-After', 3, [3_000, 3_000, 3_000, 3_000, 4_000, 8_000, 15_000, 15_000], 0],
    ['has jitter in addition to Retry-After', 60, Array.from({ length: 8 }, () => 60_500), 1],
  ])('%s', (_, retryAfterSeconds, waits, random) => {
    const planned = waits.map((__, index) =>
      planRetry(failure(503, null, retryAfterSeconds), { attempt: index + 1, attemptsMax: 100, random }),
    );
    expect(planned).toEqual(waits);
  });

  it('is null if Retry-After exceeds five minutes', () => {
    const plan = (seconds: number) =>
      planRetry(failure(429, 'rate_limited', seconds), { attempt: 1, attemptsMax: 8, random: 0 });
    expect([plan(300), plan(301)]).toEqual([300_000, null]);
  });

  it('is null after the last attempt', () => {
    const plan = (attempt: number) => planRetry(failure(503), { attempt, attemptsMax: 3, random: 0 });
    expect([1, 2, 3, 4].map(plan)).toEqual([250, 500, null, null]);
  });

  it.each([
    ['seconds', '120', 120],
    ['a date', 'Thu, 01 Jan 1970 00:01:40 GMT', 99.5],
    ['a date that has passed', 'Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['malformed text', 'soon', null],
    ['null', null, null],
  ])('is read from a Retry-After header with %s', (_, header, seconds) => {
    expect(readRetryAfter(header, 500)).toBe(seconds);
  });
});
