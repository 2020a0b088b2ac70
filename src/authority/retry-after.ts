import type { AuthorityResponse } from './ending.js';
import { readInstant } from './wire-values.js';

// Exceeds the longest published wait, which is ten minutes. Prevents a wrong header from stopping the service for
// a day.
export const RETRY_AFTER_SECONDS_MAX = 900;

export const THROTTLED_SECONDS = 60;

/** Returns the wait from `Retry-After`, or for a 429 also from `X-Rate-Limit-Reset`, limited to `secondsMax`. */
export function readRetryAfterSeconds(
  response: AuthorityResponse,
  secondsMax = RETRY_AFTER_SECONDS_MAX,
): number | null {
  // The response's date takes precedence over our clock, which may differ.
  const sentAt = Date.parse(response.headers.date ?? '') || Date.now();
  const asked = parseRetryAfter(response.headers['retry-after'], sentAt);
  // For other statuses, the header only marks the end of the rate-limit window.
  const seconds = asked ?? (response.status === 429 ? secondsUntilReset(response.headers, sentAt) : null);
  return seconds === null ? null : Math.min(Math.max(Math.ceil(seconds), 1), secondsMax);
}

function parseRetryAfter(header: string | undefined, sentAt: number): number | null {
  const written = header?.trim() ?? '';
  if (written === '') return null;
  if (/^\d{1,9}(?:\.\d+)?$/.test(written)) return Number(written);
  // `Date.parse` would read a negative number as a year. Only a value with a colon is a date.
  const until = written.includes(':') ? Date.parse(written) : NaN;
  return Number.isNaN(until) ? null : (until - sentAt) / 1000;
}

/** Parses the UTC time with seven decimals that the authority documents. */
function secondsUntilReset(headers: AuthorityResponse['headers'], sentAt: number): number | null {
  const resetAt = readInstant(headers['x-rate-limit-reset']);
  return resetAt === null ? null : (resetAt.getTime() - sentAt) / 1000;
}
