import type { Answer } from './transport.js';

// Longer than the authority's longest published wait, the ten minutes of its duplicate rule; a wrong header must not
// stop the service for a day.
const RETRY_AFTER_SECONDS_MAX = 900;

/** For a 429 that does not say how long: the window of the limits is taken to be a minute. */
export const THROTTLED_SECONDS = 60;

/** `Retry-After` in whole seconds, from 1 to 900; it comes as a number or as an HTTP date. Null when it says nothing. */
export function retryAfterSecondsOf(answer: Answer, now: Date = new Date()): number | null {
  const written = answer.headers['retry-after']?.trim() ?? '';
  if (written === '') return null;
  const isNumber = /^\d{1,9}(?:\.\d+)?$/.test(written);
  // A date is compared with the authority's own clock where it sent it, since ours may differ.
  const sentAt = Date.parse(answer.headers.date ?? '');
  const seconds = isNumber ? Number(written) : (Date.parse(written) - (sentAt || now.getTime())) / 1000;
  return Number.isNaN(seconds) ? null : Math.min(Math.max(Math.ceil(seconds), 1), RETRY_AFTER_SECONDS_MAX);
}
