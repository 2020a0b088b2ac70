import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SubmitWorkers } from './submit-workers.js';

const OPTIONS = { now: new Date('2026-01-31T04:00:00Z'), isStrict: false };
/** Of 15 KB. */
const BODY = JSON.stringify({ documents: Array.from({ length: 1_000 }, (_, index) => `document ${index}`) });

/** Who was prepared, in the order of the ends. */
function start(workers: SubmitWorkers, tenants: readonly string[]): { ended: string[]; all: Promise<unknown> } {
  const ended: string[] = [];
  const prepare = async (tenant: string): Promise<void> => {
    await workers.prepare(Buffer.from(BODY), OPTIONS, tenant);
    ended.push(tenant);
  };
  return { ended, all: Promise.all(tenants.map(prepare)) };
}

describe('bodies that are neither quick nor large', () => {
  it('are prepared in turns of their organisations, however many one of them sends', async () => {
    const { ended, all } = start(new SubmitWorkers(), [...Array.from({ length: 20 }, () => 'a'), 'b', 'c']);
    await all;
    expect(ended.slice(0, 4).toSorted()).toEqual(['a', 'a', 'b', 'c']);
  });

  it('are prepared one in a round of the event loop, so that other requests come between any two', async () => {
    const { ended, all } = start(
      new SubmitWorkers(),
      Array.from({ length: 20 }, () => 'a'),
    );
    for (let before = 0; ended.length < 20; before = ended.length) {
      await nextRound();
      expect(ended.length - before).toBeLessThanOrEqual(1);
    }
    await all;
  });
});
