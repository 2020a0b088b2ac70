import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bucket, type LeaseRequest } from './bucket.js';
import { WINDOW_SECONDS } from './limits.js';

const QUOTA = 600;
const WITHOUT_LEASE = QUOTA / 50;
const LEASE_END = 1_000;

function grant(bucket: Bucket, now: number, granted: number): LeaseRequest {
  const request = bucket.ask(now);
  bucket.grant(now, request, { granted, leaseEnd: LEASE_END, remaining: QUOTA - granted, freeIn: 60 });
  return request;
}

function takeAll(bucket: Bucket, now: number): number {
  let taken = 0;
  for (; bucket.canTake(now); taken += 1) bucket.take(now);
  return taken;
}

describe('a bucket', () => {
  it('takes 2 % of the limit without a lease, reports them with the next one, and takes no more while that is new', () => {
    const bucket = new Bucket('b', QUOTA);
    expect(takeAll(bucket, 0)).toBe(WITHOUT_LEASE);
    expect(grant(bucket, 0, 5).used).toBe(WITHOUT_LEASE);
    expect(takeAll(bucket, 0)).toBe(5);
    expect(takeAll(bucket, 62_000)).toBe(0);
    expect(takeAll(bucket, 63_000)).toBe(WITHOUT_LEASE);
  });

  it('reports nothing that is older than any window', () => {
    const bucket = new Bucket('b', QUOTA);
    bucket.take(0);
    bucket.take(30_000);
    expect(bucket.ask(63_000).used).toBe(1);
  });

  it('takes nothing of a lease that has ended, and gives back the whole with what was used of it', () => {
    const bucket = new Bucket('b', QUOTA);
    const { seconds } = grant(bucket, 0, 12);
    bucket.take(0);
    expect(bucket.canTake(seconds * 1_000 - 1)).toBe(true);
    expect(bucket.canTake(seconds * 1_000)).toBe(false);
    expect(bucket.hasLeftovers(seconds * 1_000)).toBe(true);
    const back = { used: 1, returned: 12, returnedEnd: LEASE_END, wanted: 0 };
    expect(bucket.giveBack(seconds * 1_000)).toMatchObject(back);
    expect(bucket.ask(seconds * 1_000)).toMatchObject({ used: 0, returned: 0 });
  });

  it('asks for twice as much after a lease that was used up early, for half after one that was not used', () => {
    const bucket = new Bucket('b', QUOTA);
    const wanted: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      wanted.push(grant(bucket, round, WITHOUT_LEASE).wanted);
      takeAll(bucket, round);
    }
    expect(wanted).toEqual([12, 24, 48, 96, 120]);
    grant(bucket, 10, 120);
    expect(bucket.ask(40_000).wanted).toBe(60);
  });

  it('holds a large lease shortly and a small one for longer', () => {
    const bucket = new Bucket('b', QUOTA);
    const seconds: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      seconds.push(grant(bucket, round, WITHOUT_LEASE).seconds);
      takeAll(bucket, round);
    }
    expect(seconds).toEqual([30, 10, 10, 2, 2]);
  });

  it('is blocked for a second when nothing was left, and no longer when the limit changes', () => {
    const bucket = new Bucket('b', QUOTA);
    grant(bucket, 0, 0);
    expect([bucket.isBlocked(999), bucket.isBlocked(1_000)]).toEqual([true, false]);
    bucket.quota = 2 * QUOTA;
    expect(bucket.isBlocked(1)).toBe(false);
  });

  it('asks a client to wait for at most the window', () => {
    const bucket = new Bucket('b', QUOTA);
    bucket.grant(0, bucket.ask(0), { granted: 0, leaseEnd: 0, remaining: 0, freeIn: 91 });
    expect(bucket.countResetSeconds(0)).toBe(WINDOW_SECONDS);
  });

  it('takes half of the limit in a minute without the database, and reports all of it afterwards', () => {
    const bucket = new Bucket('b', QUOTA);
    let taken = 0;
    for (let now = 0; now < 60_000; now += 100) {
      if (!bucket.canTake(now) && !bucket.isBlocked(now)) bucket.fallBack(now, bucket.ask(now));
      taken += takeAll(bucket, now);
    }
    expect(taken).toBeLessThanOrEqual(QUOTA / 2 + WITHOUT_LEASE);
    expect(taken).toBeGreaterThanOrEqual(QUOTA / 2 - WITHOUT_LEASE);
    expect(bucket.ask(60_000).used).toBe(taken);
  });

  it('takes what was granted and no more, and reports each request once, whatever happens', () => {
    const step = fc.record({
      does: fc.constantFrom('take', 'take', 'take', 'ask', 'give back', 'fail'),
      after: fc.integer({ min: 0, max: 40_000 }),
      granted: fc.integer({ min: 0, max: 200 }),
      // A lease counts from its end, up to 30 seconds ahead.
      freeIn: fc.integer({ min: 1, max: 91 }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), fc.array(step, { maxLength: 60 }), (quota, steps) => {
        const bucket = new Bucket('b', quota);
        let now = 0;
        let [taken, allowed, reported] = [0, 0, 0];
        for (const { does, after, granted, freeIn } of steps) {
          now += after;
          if (does === 'take') taken += takeAll(bucket, now);
          else {
            const request = does === 'give back' ? bucket.giveBack(now) : bucket.ask(now);
            expect(request.wanted).toBeLessThanOrEqual(quota);
            const lease = Math.min(request.wanted, granted);
            if (does === 'fail') bucket.fallBack(now, request);
            else {
              bucket.grant(now, request, { granted: lease, leaseEnd: now, remaining: 0, freeIn });
              reported += request.used;
              allowed += lease;
            }
            if (does === 'fail') allowed += Math.max(1, Math.floor(quota / 24));
          }
          // What needs no lease: at most so many in a minute.
          allowed += does === 'take' ? Math.min(20, Math.floor(quota / 50)) : 0;
          expect(taken).toBeLessThanOrEqual(allowed);
          expect(reported).toBeLessThanOrEqual(taken);
          expect(bucket.countRemaining(now)).toBeGreaterThanOrEqual(0);
          expect(bucket.countResetSeconds(now)).toBeGreaterThanOrEqual(1);
          expect(bucket.countResetSeconds(now)).toBeLessThanOrEqual(WINDOW_SECONDS);
        }
      }),
      { seed: 13, numRuns: 500 },
    );
  });
});
