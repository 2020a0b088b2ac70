import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import type { Environment } from '../config/environment.js';
import { withFailpoints } from '../common/failpoints/failpoints.js';
import type { AuthorityApi } from './call-limits.js';
import { isSuccess } from './classify.js';
import type { AuthorityResponse, Ending } from './ending.js';

interface ClockReading {
  readonly date: Date;
  readonly atMs: number;
}

interface MeasuredCall {
  readonly environment: Environment;
  readonly api: AuthorityApi;
}

// The date of a slower response is too imprecise to use.
const ROUND_TRIP_MS_MAX = 20_000;
/** Above this difference, the authority's times are ignored and searches prove nothing. */
export const DIFFERENCE_SECONDS_MAX = 86_400;
/** A `Date` header is truncated to whole seconds, so it is half a second behind on average. */
const HALF_SECOND_MS = 500;
const MEASURE_INTERVAL_MS = 10_000;
const STEP_SECONDS = 3;

const STORE = /* sql */ `
  WITH measured AS MATERIALIZED (
    SELECT now, extract(epoch FROM $2::timestamptz - now)::float8 + $3::float8 AS seconds
      FROM (SELECT service_now() AS now) clock)
  INSERT INTO authority_clock (environment, measured_at, difference_seconds)
  SELECT $1, m.now, m.seconds FROM measured m
   WHERE NOT EXISTS (
     SELECT FROM (
       SELECT c.measured_at, c.difference_seconds FROM authority_clock c
        WHERE c.environment = $1 AND c.measured_at <= m.now ORDER BY c.measured_at DESC LIMIT 1) latest
      WHERE abs(latest.difference_seconds - m.seconds) <= ${STEP_SECONDS}
        AND latest.measured_at > m.now - interval '5 minutes')
  ON CONFLICT DO NOTHING`;

const READ_DIFFERENCES = /* sql */ `
  SELECT least(min(d.seconds), 0)::float8 AS "leastSeconds", greatest(max(d.seconds), 0)::float8 AS "greatestSeconds"
    FROM ((SELECT difference_seconds AS seconds FROM authority_clock WHERE environment = $1 AND measured_at >= $2)
           UNION ALL
          (SELECT difference_seconds FROM authority_clock
            WHERE environment = $1 AND measured_at < $2 ORDER BY measured_at DESC LIMIT 1)) d`;

// Ignores measurements in the future, because they predate a setback of the clock.
const READ_DRIFT = /* sql */ `
  SELECT coalesce(max(d.difference_seconds) - min(d.difference_seconds), 0)::float8 AS "driftSeconds",
         max(d.measured_at) AS "measuredAt"
    FROM ((SELECT difference_seconds, measured_at FROM authority_clock
            WHERE environment = $1 AND measured_at >= $2 AND measured_at <= service_now())
           UNION ALL
          (SELECT difference_seconds, measured_at FROM authority_clock
            WHERE environment = $1 AND measured_at < $2 ORDER BY measured_at DESC LIMIT 1)) d`;

/**
 * Range of the authority's clock minus the database's clock. Always includes zero because a `Date` header may be wrong.
 */
export interface ClockDifferences {
  readonly leastSeconds: number;
  readonly greatestSeconds: number;
}

@Injectable()
export class AuthorityClock {
  private readonly logger = new Logger(AuthorityClock.name);
  private readonly nextMeasureAt = new Map<Environment, number>();

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * Stores the difference every ten seconds, and after each search because the search result depends on it.
   * Never throws.
   */
  async measure({ environment, api }: MeasuredCall, ending: Ending, sentAtMs: number): Promise<void> {
    const receivedAtMs = performance.now();
    if (this.configuration.role === 'api') return;
    if (api !== 'search' && receivedAtMs < (this.nextMeasureAt.get(environment) ?? 0)) return;
    const reading = readClock(ending, { sentAtMs, receivedAtMs });
    if (reading === null) return;
    this.nextMeasureAt.set(environment, receivedAtMs + MEASURE_INTERVAL_MS);
    try {
      const parameters = [environment, reading.date, (performance.now() - reading.atMs) / 1_000];
      await withFailpoints('clock.measure', () => this.dataSource.query(STORE, parameters));
    } catch (error) {
      this.logger.error(
        `The clock of the authority could not be stored: ${error instanceof Error ? error.message : 'unknown'}`,
      );
    }
  }
}

export async function readClockDifferencesSince(
  tx: EntityManager,
  environment: Environment,
  since: Date,
): Promise<ClockDifferences> {
  const [differences] = await tx.query<[ClockDifferences]>(READ_DIFFERENCES, [environment, since]);
  return differences;
}

export interface ClockDrift {
  readonly driftSeconds: number;
  readonly measuredAt: Date | null;
}

export async function readClockDriftSince(
  tx: EntityManager,
  environment: Environment,
  since: Date,
): Promise<ClockDrift> {
  const [drift] = await tx.query<[ClockDrift]>(READ_DRIFT, [environment, since]);
  return drift;
}

/** Returns null if the response failed, was cached or slow, or has an unreadable date. */
export function readClock(
  ending: Ending,
  { sentAtMs, receivedAtMs }: { sentAtMs: number; receivedAtMs: number },
): ClockReading | null {
  if (ending.kind !== 'response' || !isSuccess(ending)) return null;
  if (receivedAtMs - sentAtMs > ROUND_TRIP_MS_MAX) return null;
  const date = readDate(ending);
  if (date === null) return null;
  return { date: new Date(date.getTime() + HALF_SECOND_MS), atMs: (sentAtMs + receivedAtMs) / 2 };
}

/** Reads the `Date` header. Returns null if the header is unreadable or the response comes from a cache. */
export function readDate({ headers }: AuthorityResponse): Date | null {
  // A proxy may send `Age: 0` with a response that was not cached.
  if (headers.age !== undefined && headers.age.trim() !== '0') return null;
  const text = headers.date ?? '';
  const date = new Date(text);
  return Number.isNaN(date.getTime()) || date.toUTCString() !== text ? null : date;
}
