import { afterEach, describe, expect, it } from 'vitest';
import { armFailpoints, withFailpoints, type Failpoint, type FailpointMode, FAILPOINTS } from './failpoints.js';

// Kill is shown by the crash matrix, on processes that may die.
afterEach(() => armFailpoints(new Map()));

function arm(failpoint: Failpoint, mode: FailpointMode): void {
  armFailpoints(new Map([[failpoint, mode]]));
}

describe('a step between failpoints', () => {
  it('is the step alone when none is armed', async () => {
    const result = Promise.resolve(1);
    expect(withFailpoints('dispatch.claim', () => result)).toBe(result);
  });

  it('fails before anything of it has happened, or after all of it has', async () => {
    let done = 0;
    const step = (): Promise<number> => Promise.resolve((done += 1));
    arm('dispatch.before_claim', 'throw');
    await expect(withFailpoints('dispatch.claim', step)).rejects.toThrow('Failpoint dispatch.before_claim');
    expect(done).toBe(0);
    arm('dispatch.after_claim', 'throw');
    await expect(withFailpoints('dispatch.claim', step)).rejects.toThrow('Failpoint dispatch.after_claim');
    expect(done).toBe(1);
  });

  it('fails once in a process, and at no other step', async () => {
    arm('dispatch.before_claim', 'throw');
    expect(await withFailpoints('dispatch.settle', () => Promise.resolve('settled'))).toBe('settled');
    await expect(withFailpoints('dispatch.claim', () => Promise.resolve())).rejects.toThrow('Failpoint');
    expect(await withFailpoints('dispatch.claim', () => Promise.resolve('claimed'))).toBe('claimed');
  });

  it('does not reach its second failpoint when it failed by itself', async () => {
    arm('dispatch.after_claim', 'hang');
    await expect(withFailpoints('dispatch.claim', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('never goes on when it hangs', async () => {
    let isDone = false;
    arm('dispatch.after_claim', 'hang');
    const hanging = withFailpoints('dispatch.claim', () => Promise.resolve('claimed')).finally(() => (isDone = true));
    // Whatever could still run does.
    await new Promise(setImmediate);
    expect(isDone).toBe(false);
    void hanging;
  });

  it('has names that no two steps share', () => {
    expect(new Set(FAILPOINTS).size).toBe(FAILPOINTS.length);
    for (const failpoint of FAILPOINTS) expect(failpoint).toMatch(/^[a-z]+\.(before|after)_[a-zA-Z_]+$/);
  });
});
