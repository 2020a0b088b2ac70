import { describe, expect, it } from 'vitest';
import { isPromptFor } from './prompt.js';

/** Answers that take so long each, on a clock that only they and the pauses move. */
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

describe('a span is prompt', () => {
  it('when every response comes immediately, asked until it is over', async () => {
    const { asked, parts } = asking([100]);
    expect(await isPromptFor(4_000, parts)).toBe(true);
    expect(asked()).toBe(20);
  });

  it('and not when one of them is late, even if it is the last, which outlasts it', async () => {
    expect(await isPromptFor(4_000, asking([0, 501, 0]).parts)).toBe(false);
    expect(await isPromptFor(1_000, asking([0, 0, 0, 0, 5_000]).parts)).toBe(false);
  });
});
