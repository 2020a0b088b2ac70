// Half of the tolerance of findCallsOff(). The other half covers the lifetime of a slot.
const RESPONSE_MS_MAX = 500;
export const PROMPT_EVERY_MS = 100;

interface PromptCheck {
  ask(): Promise<void>;
  /** Current time in milliseconds. */
  now(): number;
  /** Waits between two requests. */
  pause(): Promise<void>;
}

/** Sends requests for `ms` milliseconds and returns whether all responses were fast. */
export async function isPromptFor(ms: number, { ask, now, pause }: PromptCheck): Promise<boolean> {
  const startedAt = now();
  let slowestMs = 0;
  while (now() - startedAt < ms) {
    const askedAt = now();
    await ask();
    slowestMs = Math.max(slowestMs, now() - askedAt);
    await pause();
  }
  return slowestMs <= RESPONSE_MS_MAX;
}
