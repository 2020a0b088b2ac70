import type { AuthorityResponse } from './ending.js';
import { readInstant } from './wire-values.js';

// Longer than the authority's longest published wait, the ten minutes of its duplicate rule; a wrong header must not
// stop the service for a day.
export const RETRY_AFTER_SECONDS_MAX = 900;

/** For a 429 that does not say how long: the window of the limits is taken to be a minute. */
export const THROTTLED_SECONDS = 60;

/**
 * Reads how long the authority asks us to wait: `Retry-After`, a number of seconds or an HTTP date; if a 429 has no
 * readable one, `X-Rate-Limit-Reset`, the time from which calls are accepted again. Returns whole seconds from 1 to
 * `secondsMax`, or null if neither is readable.
 */
export function readRetryAfterSeconds(
  response: AuthorityResponse,
  secondsMax = RETRY_AFTER_SECONDS_MAX,
): number | null {
  // A date is compared with the authority's own clock if the response has it, because ours may differ.
  const sentAt = Date.parse(response.headers.date ?? '') || Date.now();
  const asked = parseRetryAfter(response.headers['retry-after'], sentAt);
  // On other statuses it would only say when the window of the limits ends.
  const seconds = asked ?? (response.status === 429 ? secondsUntilReset(response.headers, sentAt) : null);
  return seconds === null ? null : Math.min(Math.max(Math.ceil(seconds), 1), secondsMax);
}

function parseRetryAfter(header: string | undefined, sentAt: number): number | null {
  const written = header?.trim() ?? '';
  if (written === '') return null;
  if (/^\d{1,9}(?:\.\d+)?$/.test(written)) return Number(written);
  // `Date.parse` reads a negative number as a year. A date with a time has a colon.
  const until = written.includes(':') ? Date.parse(written) : NaN;
  return Number.isNaN(until) ? null : (until - sentAt) / 1000;
}

/** The authority documents a DateTime in UTC, with seven decimals of a second. */
function secondsUntilReset(headers: AuthorityResponse['headers'], sentAt: number): number | null {
  const resetAt = readInstant(headers['x-rate-limit-reset']);
  return resetAt === null ? null : (resetAt.getTime() - sentAt) / 1000;
}
