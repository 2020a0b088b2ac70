import { setTimeout as delay } from 'node:timers/promises';

/** Returns the result of the work, or null on a timeout. A result that arrives after the timeout is ignored. */
export async function within<Result>(work: Promise<Result>, milliseconds: number): Promise<Result | null> {
  const ended = new AbortController();
  work.catch(() => undefined);
  const timeout = delay(milliseconds, null, { signal: ended.signal }).catch(() => null);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    ended.abort();
  }
}
