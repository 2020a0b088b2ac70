import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 10;
const WAIT_MS_MAX = 120_000;

/** Waits for a condition. @throws Error after `withinMs` */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  withinMs = WAIT_MS_MAX,
): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`Not within ${withinMs / 1_000} s: ${what}`);
    // A microtask would block the event loop, which the condition and Vitest's timeout need.
    await wait(POLL_MS);
  }
}

/** Returns whether the first promise is fulfilled before the second one. */
export function isFirst(first: Promise<unknown>, second: Promise<unknown>): Promise<boolean> {
  return Promise.race([first.then(() => true), second.then(() => false)]);
}
