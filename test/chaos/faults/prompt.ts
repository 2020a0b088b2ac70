// Half of what a call may arrive late in all (`findCallsOff`): the other half is the slot's.
const RESPONSE_MS_MAX = 500;
export const PROMPT_EVERY_MS = 100;

interface PromptCheck {
  ask(): Promise<void>;
  /** Milliseconds. */
  now(): number;
  /** Between two questions. */
  pause(): Promise<void>;
}

/** Whether everything that is asked for so many milliseconds is answered without delay. */
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
