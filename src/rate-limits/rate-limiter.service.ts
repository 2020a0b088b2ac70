import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { withFailpoints } from '../failpoints/failpoints.js';
import { Bucket, type GrantedLease, type LeaseRequest } from './bucket.js';
import { leaseRateLimits } from './rate-limits.sql.js';

/** A limit that a request counts in. */
export interface Limit {
  /** Whose and of what: one row of the database. */
  readonly bucket: string;
  readonly quota: number;
}

const RENEWALS_MAX = 8;
/** A request waits so long for a lease, then its process decides alone. */
const LEASE_WAIT_MS = 500;
/** After a lease that failed the database is not asked for so long. */
const UNREACHABLE_MS = 2_000;

const GIVE_BACK_INTERVAL_MS = 1_000;
const GIVE_BACK_MAX = 500;

/** What has not been used for so long counts no more. */
const IDLE_MS = 120_000;
const FORGET_EVERY = 60;
/** Some 20 MB; a rush of more addresses only costs leases. */
const BUCKETS_MAX = 50_000;

/**
 * Counts requests in their limits, in memory: the limits of all replicas are held by leases of parts of them
 * (docs/decisions/0078-rate-limits.md).
 */
@Injectable()
export class RateLimiter implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(RateLimiter.name);
  private readonly buckets = new Map<string, Bucket>();
  private unreachableUntil = -Infinity;
  private timer: NodeJS.Timeout | undefined;
  private rounds = 0;

  constructor(private readonly dataSource: DataSource) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.giveBackLeftovers(), GIVE_BACK_INTERVAL_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /**
   * Counts a request in all of its limits, or in none.
   * @returns the limit that is used up; null when the request was counted
   */
  async count<L extends Limit>(limits: readonly L[]): Promise<L | null> {
    const buckets = limits.map((limit) => this.findBucket(limit));
    if (takeAll(buckets)) return null;
    for (const bucket of buckets) bucket.waiting += 1;
    try {
      for (let renewals = 0; renewals < RENEWALS_MAX; renewals += 1) {
        const now = performance.now();
        const short = buckets.filter((bucket) => !bucket.canTake(now));
        const blocked = short.findIndex((bucket) => bucket.isBlocked(now));
        if (blocked >= 0) return limits[buckets.indexOf(short[blocked])];
        await this.renew(short, now);
        if (takeAll(buckets)) return null;
      }
      const now = performance.now();
      return limits[buckets.findIndex((bucket) => !bucket.canTake(now))] ?? limits[0];
    } finally {
      for (const bucket of buckets) bucket.waiting -= 1;
    }
  }

  /** What is left of a limit, as far as this process knows. */
  read(limit: Limit): { readonly remaining: number; readonly resetSeconds: number } {
    const bucket = this.findBucket(limit);
    const now = performance.now();
    return { remaining: bucket.countRemaining(now), resetSeconds: bucket.countResetSeconds(now) };
  }

  /** Whether nothing is left of a limit, as far as this process knows. */
  isUsedUp({ bucket }: Limit): boolean {
    return this.buckets.get(bucket)?.countRemaining(performance.now()) === 0;
  }

  private findBucket({ bucket: name, quota }: Limit): Bucket {
    const known = this.buckets.get(name);
    if (known !== undefined) {
      known.quota = quota;
      return known;
    }
    if (this.buckets.size >= BUCKETS_MAX) this.buckets.clear();
    const bucket = new Bucket(name, quota);
    this.buckets.set(name, bucket);
    return bucket;
  }

  /** One statement for all that are not being renewed; those that are, are waited for. */
  private async renew(short: readonly Bucket[], now: number): Promise<void> {
    const idle = short.filter(({ renewal }) => renewal === null);
    if (idle.length > 0) {
      const renewal = this.lease(idle, now).finally(() => {
        for (const bucket of idle) bucket.renewal = null;
      });
      for (const bucket of idle) bucket.renewal = renewal;
    }
    await Promise.all(short.flatMap(({ renewal }) => renewal ?? []));
  }

  private async lease(buckets: readonly Bucket[], now: number): Promise<void> {
    const requests = buckets.map((bucket) => bucket.ask(now));
    await this.exchange(buckets, requests, now);
  }

  private async exchange(
    buckets: readonly Bucket[],
    requests: readonly LeaseRequest[],
    askedAt: number,
  ): Promise<void> {
    const leases = await this.ask(requests, askedAt);
    const now = performance.now();
    for (const [index, bucket] of buckets.entries()) {
      const lease = leases?.get(bucket.name);
      if (lease === undefined) bucket.fallBack(now, requests[index]);
      else bucket.grant(askedAt, requests[index], lease);
    }
  }

  /** @returns null when the database did not respond in time */
  private async ask(requests: readonly LeaseRequest[], now: number): Promise<ReadonlyMap<string, GrantedLease> | null> {
    if (now < this.unreachableUntil) return null;
    const leases = withFailpoints('limit.lease', () => leaseRateLimits(this.dataSource, requests));
    try {
      return await withinTime(leases, LEASE_WAIT_MS);
    } catch (error) {
      this.unreachableUntil = performance.now() + UNREACHABLE_MS;
      this.logger.warn(`Rate limits are held by this process alone for a while: ${String(error)}`);
      return null;
    }
  }

  /** Of leases that have run out, so that other replicas find it; and forgets what is not used any more. */
  private async giveBackLeftovers(): Promise<void> {
    const now = performance.now();
    const ended: Bucket[] = [];
    for (const bucket of this.buckets.values()) {
      if (bucket.renewal === null && bucket.hasLeftovers(now) && ended.length < GIVE_BACK_MAX) ended.push(bucket);
    }
    this.rounds += 1;
    if (this.rounds % FORGET_EVERY === 0) this.forget(now);
    if (ended.length === 0) return;
    const requests = ended.map((bucket) => bucket.giveBack(now));
    const renewal = this.exchange(ended, requests, now).finally(() => {
      for (const bucket of ended) bucket.renewal = null;
    });
    for (const bucket of ended) bucket.renewal = renewal;
    await renewal;
  }

  private forget(now: number): void {
    for (const [name, { usedAt, waiting, renewal }] of this.buckets) {
      if (waiting === 0 && renewal === null && now - usedAt > IDLE_MS) this.buckets.delete(name);
    }
  }
}

function takeAll(buckets: readonly Bucket[]): boolean {
  const now = performance.now();
  for (const bucket of buckets) if (!bucket.canTake(now)) return false;
  for (const bucket of buckets) bucket.take(now);
  return true;
}

async function withinTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no lease after ${milliseconds} ms`)), milliseconds);
  });
  // What comes too late is not used: it ends by itself.
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
