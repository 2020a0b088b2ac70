import { describe, expect, it } from 'vitest';
import { CACHE_MS, RecentKeys } from './recent-keys.js';

const DIGEST = Buffer.from('one key');

describe('RecentKeys', () => {
  it('looks up a key again after half a second', async () => {
    const { recent, clock, looks, find } = createKeys('active');
    await find();
    clock.now += CACHE_MS - 1;
    expect(await find()).toEqual({ found: 'active', age: CACHE_MS - 1 });
    expect(looks.count).toBe(1);
    clock.now += 1;
    expect(await recent.find(DIGEST, () => Promise.resolve('revoked'))).toEqual({ found: 'revoked', age: 0 });
    expect(CACHE_MS).toBeLessThan(1_000);
  });

  it('shares a pending lookup', async () => {
    const { looks, find } = createKeys('active');
    expect(await Promise.all([find(), find(), find()])).toHaveLength(3);
    expect(looks.count).toBe(1);
  });

  it('does not cache an unknown key', async () => {
    const { recent, looks, find } = createKeys(undefined);
    expect(await find()).toBeUndefined();
    expect(await find()).toBeUndefined();
    expect(looks.count).toBe(2);
    expect(await recent.find(DIGEST, () => Promise.resolve('active'))).toMatchObject({ found: 'active' });
  });

  it('does not cache a failed lookup', async () => {
    const { recent, find } = createKeys('active');
    await expect(recent.find(DIGEST, () => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
    expect(await find()).toMatchObject({ found: 'active' });
  });

  it('does not return the lookup of another key', async () => {
    const { recent, find } = createKeys('active');
    await find();
    expect(await recent.find(Buffer.from('another'), () => Promise.resolve('other'))).toMatchObject({ found: 'other' });
  });
});

function createKeys(found: string | undefined): {
  recent: RecentKeys<string>;
  clock: { now: number };
  looks: { count: number };
  find: () => ReturnType<RecentKeys<string>['find']>;
} {
  const clock = { now: 1_000 };
  const looks = { count: 0 };
  const recent = new RecentKeys<string>(() => clock.now);
  const lookUp = (): Promise<string | undefined> => {
    looks.count += 1;
    return Promise.resolve(found);
  };
  return { recent, clock, looks, find: () => recent.find(DIGEST, lookUp) };
}
