import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 10;
const WAIT_MS_MAX = 120_000;

/** Waits for a condition of the system. @throws Error when it does not hold in time */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  withinMs = WAIT_MS_MAX,
): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`Not within ${withinMs / 1_000} s: ${what}`);
    // A timer and not a microtask: what is waited for, and the runner's own time-out, need the event loop.
    await wait(POLL_MS);
  }
}

/** Whether the first promise has settled before the second one. */
export function isFirst(first: Promise<unknown>, second: Promise<unknown>): Promise<boolean> {
  return Promise.race([first.then(() => true), second.then(() => false)]);
}
