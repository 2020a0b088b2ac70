import { QueryFailedError, type QueryRunner } from 'typeorm';
import { describe, expect, it, vi } from 'vitest';
import { retryWhileBlocked } from './giving-way.js';
import { inBatches } from './migrations/while-serving.js';

const TRIES = 2;
const isBlocked = new QueryFailedError('SELECT', [], Object.assign(new Error('lock timeout'), { code: '55P03' }));

describe('work that something keeps from what it needs', () => {
  it('is tried as often as its own limit says, also as a part of work that is tried again', async () => {
    const part = vi.fn(() => Promise.reject(isBlocked));
    const whole = vi.fn(() => retryWhileBlocked(part, TRIES));
    await expect(retryWhileBlocked(whole)).rejects.toThrow('find it in pg_stat_activity');
    expect(part).toHaveBeenCalledTimes(TRIES);
    expect(whole).toHaveBeenCalledTimes(1);
  });

  it('is done from the batch that was kept, and not from the first one', async () => {
    const batches: (unknown[] | Error)[] = [[{ tenantId: 't', id: '1' }], isBlocked, [{ tenantId: 't', id: '2' }], []];
    const asked: unknown[] = [];
    const query = vi.fn((_statement: string, [, id]: readonly unknown[]) => {
      asked.push(id);
      const batch = batches.shift();
      return batch instanceof Error ? Promise.reject(batch) : Promise.resolve(batch);
    });
    await inBatches({ query } as unknown as QueryRunner, 'UPDATE');
    expect(asked.slice(1)).toEqual(['1', '1', '2']);
  });
});
