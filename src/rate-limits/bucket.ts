import { WINDOW_SECONDS } from './limits.js';

const SECOND_MS = 1_000;

/**
 * What a process may let through without counting it in the database, as a share of the limit, while it has not leased
 * for a window: a client that calls now and then costs no statement. Two replicas allow two of them at most.
 */
const UNREPORTED_SHARE = 1 / 50;
const UNREPORTED_MAX = 20;
/** After the last lease: what was leased, by whatever replica, is out of every window by then. */
const COLD_AFTER_MS = (WINDOW_SECONDS + 3) * SECOND_MS;

const LEASE_SHARE_MIN = 1 / 50;
const LEASE_SHARE_MAX = 1 / 5;
/**
 * For how long a lease may be used, by its share of the limit. Until it is reported what was used of it, all of it counts
 * as used at its end: the larger it is, the sooner it ends.
 */
const LEASE_SECONDS: readonly { readonly share: number; readonly seconds: number }[] = [
  { share: LEASE_SHARE_MIN, seconds: 30 },
  { share: 1 / 10, seconds: 10 },
  { share: Infinity, seconds: 2 },
];

/** Told that nothing is left, a process asks again after this: other replicas give back, and operators change limits. */
const ASK_AGAIN_MS = 1_000;

/** Without the database a process allows itself half of the limit: two replicas stay within it. */
const FALLBACK_SHARE = 1 / 2;
const FALLBACK_SECONDS = 5;

/** What a process asks the database for. */
export interface LeaseRequest {
  readonly bucket: string;
  readonly quota: number;
  /** Let through since the last report. */
  readonly used: number;
  /** The last lease, whole, and the second in which it ends: what was used of it counts from now on. */
  readonly returned: number;
  readonly returnedEnd: number;
  readonly wanted: number;
  readonly seconds: number;
}

export interface GrantedLease {
  readonly granted: number;
  /** The second in which it ends, by the database's clock. */
  readonly leaseEnd: number;
  /** Left for all replicas. */
  readonly remaining: number;
  /** Seconds until something that counts now does no more. */
  readonly freeIn: number;
}

/**
 * What one process knows of one limit: no I/O, no clock. Times are milliseconds of a clock that never jumps. Not one
 * token more is taken than was leased, but for those few that need no lease.
 */
export class Bucket {
  /** The statement that is on its way for it. */
  renewal: Promise<void> | null = null;
  /** Requests that wait for it. */
  waiting = 0;
  usedAt = 0;

  private tokens = 0;
  private leased = 0;
  private leaseEndsAt = -Infinity;
  private leaseEnd = 0;
  private leasedAt = -Infinity;
  /** When each was let through that the database does not know of. */
  private unreported: number[] = [];
  private size = 0;
  private remaining = 0;
  private freeAt = 0;
  private blockedUntil = -Infinity;
  private fallbackEndsAt = -Infinity;

  constructor(
    readonly name: string,
    private quotaNow: number,
  ) {}

  get quota(): number {
    return this.quotaNow;
  }

  /** A changed limit holds from the next lease on, which is asked for immediately where nothing was left. */
  set quota(quota: number) {
    if (quota === this.quotaNow) return;
    this.quotaNow = quota;
    this.blockedUntil = -Infinity;
    this.fallbackEndsAt = -Infinity;
  }

  /** Whether a lease has run out that has something left. */
  hasLeftovers(now: number): boolean {
    return this.tokens > 0 && now >= this.leaseEndsAt;
  }

  canTake(now: number): boolean {
    if (this.tokens > 0 && now < this.leaseEndsAt) return true;
    return now - this.leasedAt >= COLD_AFTER_MS && this.countUnreported(now) < this.unreportedMax;
  }

  /** One request; only after `canTake`. */
  take(now: number): void {
    this.usedAt = now;
    if (this.tokens > 0 && now < this.leaseEndsAt) this.tokens -= 1;
    else this.unreported.push(now);
  }

  /** Whether nothing is left, as the database has just said. */
  isBlocked(now: number): boolean {
    return now < this.blockedUntil;
  }

  /** What to ask for next; what became of the last lease is reported with it. */
  ask(now: number): LeaseRequest {
    this.size = this.computeSize(now);
    // While the request is under way, nothing goes through unreported.
    this.leasedAt = now;
    return this.report(now, Math.min(this.quota, Math.max(this.size, this.waiting)));
  }

  /** Reports what became of a lease, and asks for nothing. */
  giveBack(now: number): LeaseRequest {
    this.size = this.computeSize(now);
    return this.report(now, 0);
  }

  private report(now: number, wanted: number): LeaseRequest {
    const used = this.leased - this.tokens + this.countUnreported(now);
    const [returned, returnedEnd] = [this.leased, this.leaseEnd];
    this.leased = 0;
    this.tokens = 0;
    this.unreported = [];
    return {
      bucket: this.name,
      quota: this.quota,
      used,
      returned,
      returnedEnd,
      wanted,
      seconds: this.secondsOf(wanted),
    };
  }

  /** @param askedAt before the request was sent: the lease ends here before it does there */
  grant(askedAt: number, { wanted, seconds }: LeaseRequest, lease: GrantedLease): void {
    this.remaining = lease.remaining;
    this.freeAt = askedAt + lease.freeIn * SECOND_MS;
    if (wanted === 0) return;
    this.tokens = lease.granted;
    this.leased = lease.granted;
    this.leaseEnd = lease.leaseEnd;
    this.leaseEndsAt = askedAt + seconds * SECOND_MS;
    this.fallbackEndsAt = -Infinity;
    if (lease.granted === 0) this.blockedUntil = askedAt + Math.min(ASK_AGAIN_MS, lease.freeIn * SECOND_MS);
  }

  /** The database did not respond: what was reported may be lost, and a slice of half the limit is allowed. */
  fallBack(now: number, lost: LeaseRequest): void {
    for (let count = 0; count < lost.used; count += 1) this.unreported.push(now);
    if (lost.wanted === 0) return;
    if (now >= this.fallbackEndsAt) {
      this.fallbackEndsAt = now + FALLBACK_SECONDS * SECOND_MS;
      this.tokens = Math.max(1, Math.floor((this.quota * FALLBACK_SHARE * FALLBACK_SECONDS) / WINDOW_SECONDS));
      this.leased = this.tokens;
      // Of no second of the database: what was used of it is reported, and nothing given back.
      this.leaseEnd = 0;
      this.leaseEndsAt = this.fallbackEndsAt;
      return;
    }
    this.blockedUntil = this.fallbackEndsAt;
    this.freeAt = this.fallbackEndsAt;
    this.remaining = 0;
  }

  /** How many requests are left, as far as this process knows. */
  countRemaining(now: number): number {
    if (now - this.leasedAt >= COLD_AFTER_MS) return Math.max(0, this.quota - this.countUnreported(now));
    const leased = now < this.leaseEndsAt ? this.tokens : 0;
    return Math.max(0, Math.min(this.quota, this.remaining + leased));
  }

  /**
   * Counts the whole seconds until more may be left, from one to the window. An unreported lease counts from its end, which
   * lies ahead, but nothing that a client has already sent counts for longer than the window.
   */
  countResetSeconds(now: number): number {
    const isCold = now - this.leasedAt >= COLD_AFTER_MS;
    const [oldest = now] = this.unreported;
    const freeAt = isCold ? oldest + WINDOW_SECONDS * SECOND_MS : this.freeAt;
    return Math.min(WINDOW_SECONDS, Math.max(1, Math.ceil((freeAt - now) / SECOND_MS)));
  }

  private get unreportedMax(): number {
    return Math.min(UNREPORTED_MAX, Math.floor(this.quota * UNREPORTED_SHARE));
  }

  private countUnreported(now: number): number {
    const oldest = now - COLD_AFTER_MS;
    while (this.unreported.length > 0 && this.unreported[0] <= oldest) this.unreported.shift();
    return this.unreported.length;
  }

  /** Twice the last lease if that was used up before its end, half of it if most of it was not used. */
  private computeSize(now: number): number {
    const min = Math.ceil(this.quota * LEASE_SHARE_MIN);
    const max = Math.ceil(this.quota * LEASE_SHARE_MAX);
    if (this.leased === 0) return Math.max(min, Math.min(max, this.size));
    const isUsedUp = this.tokens === 0 && now < this.leaseEndsAt;
    const isIdle = this.tokens > this.leased / 2;
    const size = isUsedUp ? this.size * 2 : isIdle ? Math.floor(this.size / 2) : this.size;
    return Math.max(min, Math.min(max, size));
  }

  private secondsOf(wanted: number): number {
    const share = (wanted - 1) / this.quota;
    return LEASE_SECONDS.find((each) => share <= each.share)?.seconds ?? 0;
  }
}
