import { afterEach, describe, expect, it } from 'vitest';
import { armFailpoints, withFailpoints, type Failpoint, type FailpointMode, FAILPOINTS } from './failpoints.js';

// The crash matrix tests the mode kill with separate processes.
afterEach(() => armFailpoints(new Map()));

function arm(failpoint: Failpoint, mode: FailpointMode): void {
  armFailpoints(new Map([[failpoint, mode]]));
}

describe('withFailpoints', () => {
  it('only runs the step if no failpoint is armed', async () => {
    const result = Promise.resolve(1);
    expect(withFailpoints('dispatch.claim', () => result)).toBe(result);
  });

  it('throws before or after the step', async () => {
    let done = 0;
    const step = (): Promise<number> => Promise.resolve((done += 1));
    arm('dispatch.before_claim', 'throw');
    await expect(withFailpoints('dispatch.claim', step)).rejects.toThrow('Failpoint dispatch.before_claim');
    expect(done).toBe(0);
    arm('dispatch.after_claim', 'throw');
    await expect(withFailpoints('dispatch.claim', step)).rejects.toThrow('Failpoint dispatch.after_claim');
    expect(done).toBe(1);
  });

  it('throws only once and only in the armed step', async () => {
    arm('dispatch.before_claim', 'throw');
    expect(await withFailpoints('dispatch.settle', () => Promise.resolve('settled'))).toBe('settled');
    await expect(withFailpoints('dispatch.claim', () => Promise.resolve())).rejects.toThrow('Failpoint');
    expect(await withFailpoints('dispatch.claim', () => Promise.resolve('claimed'))).toBe('claimed');
  });

  it('skips the second failpoint if the step fails', async () => {
    arm('dispatch.after_claim', 'hang');
    await expect(withFailpoints('dispatch.claim', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('never resolves in hang mode', async () => {
    let isDone = false;
    arm('dispatch.after_claim', 'hang');
    const hanging = withFailpoints('dispatch.claim', () => Promise.resolve('claimed')).finally(() => (isDone = true));
    // Runs all pending callbacks.
    await new Promise(setImmediate);
    expect(isDone).toBe(false);
    void hanging;
  });

  it('has a unique name for each step', () => {
    expect(new Set(FAILPOINTS).size).toBe(FAILPOINTS.length);
    for (const failpoint of FAILPOINTS) expect(failpoint).toMatch(/^[a-z]+\.(before|after)_[a-zA-Z_]+$/);
  });
});
