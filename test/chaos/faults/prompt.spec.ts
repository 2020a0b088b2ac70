import { describe, expect, it } from 'vitest';
import { isPromptFor } from './prompt.js';

/** Simulates responses with these durations on a fake clock. */
function asking(answersMs: readonly number[]): { asked: () => number; parts: Parameters<typeof isPromptFor>[1] } {
  let now = 0;
  let asked = 0;
  const pass = (ms: number): Promise<void> => {
    now += ms;
    return Promise.resolve();
  };
  const ask = (): Promise<void> => pass(answersMs[Math.min(asked++, answersMs.length - 1)]);
  return { asked: () => asked, parts: { ask, now: () => now, pause: () => pass(100) } };
}

describe('isPromptFor()', () => {
  it('returns true when every response is fast', async () => {
    const { asked, parts } = asking([100]);
    expect(await isPromptFor(4_000, parts)).toBe(true);
    expect(asked()).toBe(20);
  });

  it('returns false when one response is slow', async () => {
    expect(await isPromptFor(4_000, asking([0, 501, 0]).parts)).toBe(false);
    expect(await isPromptFor(1_000, asking([0, 0, 0, 0, 5_000]).parts)).toBe(false);
  });
});
