import type { Send } from '../chaos/load/caller.js';

/** Longer submits count as an outage. */
const WAIT_MS_MAX = 1_000;

/**
 * Returns the seconds from `from` until submits are accepted again: until the first success after the last failure, or
 * until the end of the last slow submit. Pauses between submits do not count.
 */
export function findOutage(submits: readonly Send[], from: number): number {
  const accepted = submits
    .filter(({ endedAt, status }) => status === 200 && endedAt > from)
    .map(({ endedAt }) => endedAt);
  if (accepted.length === 0) return Infinity;
  const endsAt = submits
    .filter(({ endedAt }) => endedAt > from)
    .map(({ startedAt, endedAt, status }) => {
      if (status === null || status >= 500) return Math.min(...accepted.filter((at) => at > endedAt));
      return endedAt - startedAt > WAIT_MS_MAX ? endedAt : from;
    });
  return (Math.max(from, ...endsAt) - from) / 1_000;
}
