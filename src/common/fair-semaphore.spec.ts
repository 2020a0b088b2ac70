import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairSemaphore, NoSlotError } from './fair-semaphore.js';

const HOLDERS = ['a', 'b', 'c', 'd'];
/** A step of a random history: a caller requests a slot or releases one. */
const STEPS = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('ask' as const), holder: fc.constantFrom(...HOLDERS) }),
    fc.record({ kind: fc.constant('finish' as const), index: fc.nat() }),
  ),
  { maxLength: 200 },
);
const SIZES = fc
  .integer({ min: 1, max: 6 })
  .chain((capacity) => fc.record({ capacity: fc.constant(capacity), share: fc.integer({ min: 1, max: capacity }) }));

class Work {
  finish = (): void => undefined;
  done: Promise<void>;

  constructor(readonly holder: string) {}
}

/** Jobs that start when they get a slot and end when the test ends them. */
class History {
  readonly waiting = new Set<Work>();
  readonly running: Work[] = [];

  constructor(private readonly semaphore: FairSemaphore) {}

  ask(holder: string): void {
    const work = new Work(holder);
    this.waiting.add(work);
    work.done = this.semaphore.run(holder, () => {
      this.waiting.delete(work);
      this.running.push(work);
      return new Promise<void>((resolve) => (work.finish = resolve));
    });
  }

  async finish(index: number): Promise<void> {
    const [work] = this.running.splice(index % this.running.length, 1);
    work.finish();
    await work.done;
    await settle();
  }

  countRunning(holder: string): number {
    return this.running.filter((work) => work.holder === holder).length;
  }
}

/** Lets granted jobs start, which takes a few microtasks. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
}

describe('FairSemaphore', () => {
  it('grants as many slots as capacity and shares allow', async () => {
    await fc.assert(
      fc.asyncProperty(SIZES, STEPS, async (sizes, steps) => {
        const semaphore = new FairSemaphore(sizes);
        const history = new History(semaphore);
        for (const step of steps) {
          if (step.kind === 'ask') history.ask(step.holder);
          else if (history.running.length > 0) await history.finish(step.index);
          expect(history.running.length).toBe(semaphore.inUse);
          expect(history.running.length).toBeLessThanOrEqual(sizes.capacity);
          for (const holder of HOLDERS) expect(history.countRunning(holder)).toBeLessThanOrEqual(sizes.share);
          if (history.running.length === sizes.capacity) continue;
          for (const { holder } of history.waiting) expect(history.countRunning(holder)).toBe(sizes.share);
        }
        while (history.running.length > 0) await history.finish(0);
        expect(history.waiting.size).toBe(0);
        expect(semaphore.inUse).toBe(0);
      }),
    );
  });

  it('grants each waiting holder a slot before any other holder gets two', async () => {
    const capacities = fc.integer({ min: 1, max: 3 });
    await fc.assert(
      fc.asyncProperty(capacities, fc.array(fc.nat(), { maxLength: 60 }), async (capacity, picks) => {
        const history = new History(new FairSemaphore({ capacity, share: capacity }));
        // One holder requests far more often. Every holder always has a waiting caller.
        for (let count = 0; count < 100; count += 1) history.ask(HOLDERS[0]);
        for (const holder of HOLDERS.slice(1)) for (let count = 0; count < 70; count += 1) history.ask(holder);
        const passedBy = new Map(HOLDERS.map((holder) => [holder, new Map<string, number>()]));
        for (const pick of picks) {
          const before = new Set(history.running);
          await history.finish(pick);
          const [granted] = history.running.filter((work) => !before.has(work));
          for (const [holder, others] of passedBy) {
            if (history.countRunning(holder) > 0) others.clear();
            else others.set(granted.holder, (others.get(granted.holder) ?? 0) + 1);
            expect(Math.max(0, ...others.values())).toBeLessThan(2);
          }
        }
      }),
    );
  });

  it('releases the slot of a failed job', async () => {
    const semaphore = new FairSemaphore({ capacity: 1, share: 1 });
    await expect(semaphore.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(semaphore.inUse).toBe(0);
    await expect(semaphore.run('b', () => Promise.resolve('fine'))).resolves.toBe('fine');
  });

  it('rejects a second release', () => {
    const semaphore = new FairSemaphore({ capacity: 1, share: 1 });
    expect(semaphore.tryAcquire('a')).toBe(true);
    semaphore.release('a');
    expect(() => semaphore.release('a')).toThrow('was not acquired');
  });
});

describe('waiting for a slot', () => {
  it('times out with an error that names the holders of the slots', async () => {
    const semaphore = new FairSemaphore({ capacity: 2, share: 1, waitMs: 5 });
    const finishes: (() => void)[] = [];
    const hold = (holder: string): Promise<void> =>
      semaphore.run(holder, () => new Promise<void>((resolve) => finishes.push(resolve)));
    const held = [hold('a'), hold('b')];
    const late = (holder: string): Promise<unknown> =>
      semaphore.run(holder, () => Promise.resolve()).catch((error: unknown) => error);
    const [own, others] = await Promise.all([late('a'), late('c')]);
    expect(own).toMatchObject({ name: 'NoSlotError', isShareUsed: true });
    expect(others).toMatchObject({ name: 'NoSlotError', isShareUsed: false });
    for (const finish of finishes) finish();
    await Promise.all(held);
    expect(semaphore.inUse).toBe(0);
    await expect(semaphore.run('c', () => Promise.resolve('now'))).resolves.toBe('now');
  });

  it("fails if the holder's queue is full", async () => {
    const semaphore = new FairSemaphore({ capacity: 1, share: 1, queueMax: 2 });
    let finish = (): void => undefined;
    const held = semaphore.run('a', () => new Promise<void>((resolve) => (finish = resolve)));
    const waiting = ['a', 'a', 'b'].map((holder) => semaphore.run(holder, () => Promise.resolve(holder)));
    await expect(semaphore.run('a', () => Promise.resolve())).rejects.toBeInstanceOf(NoSlotError);
    finish();
    await held;
    expect(await Promise.all(waiting)).toEqual(['a', 'a', 'b']);
  });

  it('fails if the queues of all holders are full', async () => {
    const semaphore = new FairSemaphore({ capacity: 1, share: 1, queueMax: 2, queuesMax: 3 });
    for (let round = 0; round < 3; round += 1) {
      let finish = (): void => undefined;
      const held = semaphore.run('a', () => new Promise<void>((resolve) => (finish = resolve)));
      const waiting = ['a', 'b', 'c'].map((holder) => semaphore.run(holder, () => Promise.resolve(holder)));
      await expect(semaphore.run('d', () => Promise.resolve())).rejects.toBeInstanceOf(NoSlotError);
      finish();
      await held;
      expect(await Promise.all(waiting)).toEqual(['a', 'b', 'c']);
    }
  });
});
