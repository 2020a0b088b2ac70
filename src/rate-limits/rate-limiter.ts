import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { withFailpoints } from '../common/failpoints/failpoints.js';
import { WINDOW_SECONDS } from './limits.js';

export interface Limit {
  /** Caller and kind of request; the key of a database row. */
  readonly bucket: string;
  readonly quota: number;
}

interface Count {
  readonly bucket: string;
  total: number;
  unreported: number;
  /** Number of unreported requests that triggers a report. */
  unreportedMax: number;
}

interface SumRow {
  readonly now: number;
  /** Null in the single row of a report without counts. */
  readonly bucket: string | null;
  readonly total: number;
}

const SECOND_MS = 1_000;
const WINDOW_MS = WINDOW_SECONDS * SECOND_MS;
const REPORT_INTERVAL_MS = 250;
/** Limit per statement; other counts follow in the next report. */
const REPORTED_MAX = 1_000;
/** Share of a limit that a process may leave unreported, so that occasional clients require no write. */
const UNREPORTED_SHARE = 1 / 50;
const UNREPORTED_MAX = 20;
/** About 10 MB. With more addresses, the counts of this process are reset. */
const COUNTS_MAX = 50_000;

/** Adds counts only to their window. The order of the buckets avoids deadlocks. */
const SUM = /* sql */ `
  WITH clock AS MATERIALIZED (SELECT service_now() AS now),
  summed AS (
    INSERT INTO rate_limit_window AS w (bucket, started_at, total)
    SELECT r.bucket, $1::timestamptz, r.unreported
      FROM unnest($2::text[], $3::integer[]) AS r (bucket, unreported), clock
     WHERE date_trunc('minute', clock.now) = $1
     ORDER BY r.bucket
    ON CONFLICT ON CONSTRAINT pk_rate_limit_window DO UPDATE SET started_at = excluded.started_at,
      total = excluded.total + CASE WHEN w.started_at = excluded.started_at THEN w.total ELSE 0 END
    RETURNING w.bucket, w.total
  )
  SELECT extract(epoch FROM clock.now)::float8 * 1000 AS now, summed.bucket, summed.total
    FROM clock LEFT JOIN summed ON true`;

/**
 * Counts requests in memory, in windows of one minute on the database's clock, and adds the counts to those of the
 * other replicas every 250 ms. Requests between two reports may exceed a limit (docs/rules.md#rate-limits).
 */
@Injectable()
export class RateLimiter implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(RateLimiter.name);
  private readonly counts = new Map<string, Count>();
  private windowStart = 0;
  /** Difference between the database's clock and `performance.now()`. */
  private clockOffset = Date.now() - performance.now();
  private isActive = false;
  private reporting: Promise<void> | null = null;
  private hasFailed = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly dataSource: DataSource) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      if (this.isActive) void this.report();
    }, REPORT_INTERVAL_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Counts a request against all of its limits. If a limit is used up, returns it without counting the request. */
  count<L extends Limit>(limits: readonly L[]): L | null {
    this.isActive = true;
    const usedUp = limits.find((limit) => this.isUsedUp(limit));
    if (usedUp !== undefined) return usedUp;
    for (const { bucket, quota } of limits) {
      const count = this.findCount(bucket);
      count.unreported += 1;
      count.unreportedMax = Math.min(UNREPORTED_MAX, quota * UNREPORTED_SHARE);
    }
    return null;
  }

  isUsedUp(limit: Limit): boolean {
    return this.countRemaining(limit) === 0;
  }

  countRemaining({ bucket, quota }: Limit): number {
    this.enterWindow();
    const count = this.counts.get(bucket);
    return count === undefined ? quota : Math.max(0, quota - count.total - count.unreported);
  }

  countResetSeconds(): number {
    const now = this.enterWindow();
    return Math.max(1, Math.ceil((this.windowStart + WINDOW_MS - now) / SECOND_MS));
  }

  /** Adds the counts to those of all replicas. Joins a running report, which would add the same counts. */
  report(): Promise<void> {
    this.reporting ??= this.sumCounts().finally(() => {
      this.reporting = null;
    });
    return this.reporting;
  }

  private async sumCounts(): Promise<void> {
    this.isActive = false;
    this.enterWindow();
    const reported = [...this.counts.values()]
      .filter(({ unreported, unreportedMax }) => unreported > unreportedMax)
      .slice(0, REPORTED_MAX)
      .map((count) => ({ count, requests: count.unreported }));
    try {
      const rows = await withFailpoints('limit.report', () =>
        this.dataSource.query<SumRow[]>(SUM, [
          new Date(this.windowStart),
          reported.map(({ count }) => count.bucket),
          reported.map(({ requests }) => requests),
        ]),
      );
      this.clockOffset = rows[0].now - performance.now();
      const totals = new Map(rows.map(({ bucket, total }) => [bucket, total]));
      for (const { count, requests } of reported) {
        const total = totals.get(count.bucket);
        if (total === undefined) continue;
        count.total = total;
        count.unreported -= requests;
      }
      this.hasFailed = false;
    } catch (error) {
      // Reports the same counts again after the interval.
      this.isActive = true;
      if (!this.hasFailed) this.logger.warn(`This process cannot sum rate limits with others: ${String(error)}`);
      this.hasFailed = true;
    }
  }

  private findCount(bucket: string): Count {
    const known = this.counts.get(bucket);
    if (known !== undefined) return known;
    if (this.counts.size >= COUNTS_MAX) this.counts.clear();
    const count = { bucket, total: 0, unreported: 0, unreportedMax: 0 };
    this.counts.set(bucket, count);
    return count;
  }

  /** Resets all counts if a new window has started. Returns the database's time in milliseconds. */
  private enterWindow(): number {
    const now = performance.now() + this.clockOffset;
    const start = Math.floor(now / WINDOW_MS) * WINDOW_MS;
    if (start !== this.windowStart) this.counts.clear();
    this.windowStart = start;
    return now;
  }
}
