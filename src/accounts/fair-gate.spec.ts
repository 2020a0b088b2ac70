import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FairGate } from './fair-gate.js';

const LIMITS = { running: 2, waitingOfSubject: 3, waiting: 5 };

function createGate(limits = LIMITS) {
  return new FairGate(limits, () => new Error('full'));
}

/** Work that ends when it is told, and what has begun so far. */
function createWork(gate: FairGate) {
  const begun: string[] = [];
  const endings: (() => void)[] = [];
  const start = (subject: string): Promise<string> =>
    gate.run(subject, async () => {
      begun.push(subject);
      await new Promise<void>((resolve) => endings.push(resolve));
      return subject;
    });
  const endOne = async (): Promise<void> => {
    endings.shift()?.();
    await nextTurn();
  };
  return { begun, start, endOne };
}

describe('the gate', () => {
  it('lets no more run than its limit, and subjects in turn, however many of one wait', async () => {
    const { begun, start, endOne } = createWork(createGate());
    const all = ['a', 'a', 'a', 'a', 'b', 'c'].map(start);
    await nextTurn();
    expect(begun).toEqual(['a', 'a']);
    for (let ended = 0; ended < 6; ended += 1) await endOne();
    expect(begun).toEqual(['a', 'a', 'a', 'b', 'c', 'a']);
    await Promise.all(all);
  });

  it('refuses what is beyond the waiting of a subject, and of all', async () => {
    const { start, endOne } = createWork(createGate());
    const running = ['a', 'a', 'a', 'a', 'a'].map(start);
    await expect(start('a')).rejects.toThrow('full');
    running.push(start('b'), start('b'));
    await expect(start('c')).rejects.toThrow('full');
    for (let ended = 0; ended < running.length; ended += 1) await endOne();
    expect(await Promise.all(running)).toHaveLength(7);
  });

  it('goes on after work that failed', async () => {
    const gate = createGate({ ...LIMITS, running: 1 });
    const failed = gate.run('a', () => Promise.reject(new Error('broken')));
    const next = gate.run('b', () => Promise.resolve('done'));
    await expect(failed).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });
});
