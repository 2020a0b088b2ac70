import { setTimeout as delay } from 'node:timers/promises';

/** What the work results in, or null when it takes longer; then nobody sees how it ends. */
export async function within<Result>(work: Promise<Result>, milliseconds: number): Promise<Result | null> {
  const ended = new AbortController();
  work.catch(() => undefined);
  const patience = delay(milliseconds, null, { signal: ended.signal }).catch(() => null);
  try {
    return await Promise.race([work, patience]);
  } finally {
    ended.abort();
  }
}
