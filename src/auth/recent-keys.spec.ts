import { describe, expect, it } from 'vitest';
import { CACHE_MS, CONFIRMED_MS_MAX, RecentKeys } from './recent-keys.js';

const DIGEST = Buffer.from('one key');

describe('a lookup of a key', () => {
  it('stands for half a second, then the key is looked up again: a revocation is felt within a second', async () => {
    const { recent, clock, looks, find } = createKeys('active');
    await find();
    clock.now += CACHE_MS - 1;
    expect(await find()).toEqual({ found: 'active', age: CACHE_MS - 1 });
    expect(looks.count).toBe(1);
    clock.now += 1;
    expect(await recent.find(DIGEST, () => Promise.resolve('revoked'))).toEqual({ found: 'revoked', age: 0 });
    expect(CACHE_MS).toBeLessThan(1_000);
  });

  it('is made once for calls that come while it is on its way', async () => {
    const { looks, find } = createKeys('active');
    expect(await Promise.all([find(), find(), find()])).toHaveLength(3);
    expect(looks.count).toBe(1);
  });

  it('is not kept when there is no such key: a new one works immediately', async () => {
    const { recent, looks, find } = createKeys(undefined);
    expect(await find()).toBeUndefined();
    expect(await find()).toBeUndefined();
    expect(looks.count).toBe(2);
    expect(await recent.find(DIGEST, () => Promise.resolve('active'))).toMatchObject({ found: 'active' });
  });

  it('is not kept when it failed', async () => {
    const { recent, find } = createKeys('active');
    await expect(recent.find(DIGEST, () => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
    expect(await find()).toMatchObject({ found: 'active' });
  });

  it('does not stand for a call that asks for a later one, and the later one stands for all', async () => {
    const { recent, clock, find } = createKeys('active');
    await find();
    clock.now += 10;
    const later = await recent.find(DIGEST, () => Promise.resolve('revoked'), clock.now);
    expect(later).toMatchObject({ found: 'revoked' });
    expect(await recent.find(DIGEST, () => Promise.reject(new Error('again')), clock.now)).toEqual(later);
    expect(await find()).toEqual(later);
  });

  it('stands for half a second after its key is confirmed, at the moment of the confirmation', async () => {
    const { recent, clock, looks, find } = createKeys('active');
    await find();
    const confirmedAt = (clock.now += 400);
    clock.now += 300;
    recent.confirm('id of active', confirmedAt);
    recent.confirm('id of another', clock.now);
    clock.now = confirmedAt + CACHE_MS - 1;
    expect(await find()).toEqual({ found: 'active', age: 400 + CACHE_MS - 1 });
    expect(looks.count).toBe(1);
    clock.now += 1;
    await find();
    expect(looks.count).toBe(2);
  });

  it('ends after half a minute, however often its key is confirmed', async () => {
    const { recent, clock, looks, find } = createKeys('active');
    await find();
    const until = clock.now + CONFIRMED_MS_MAX + CACHE_MS;
    while (clock.now < until) {
      recent.confirm('id of active', clock.now);
      clock.now += 100;
    }
    await find();
    expect(looks.count).toBe(2);
  });

  it('never stands for another key', async () => {
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
  const recent = new RecentKeys<string>(
    (key) => `id of ${key}`,
    () => clock.now,
  );
  const lookUp = (): Promise<string | undefined> => {
    looks.count += 1;
    return Promise.resolve(found);
  };
  return { recent, clock, looks, find: () => recent.find(DIGEST, lookUp) };
}
