import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { isDiskFull } from '../../errors/database-unavailable.js';
import type { ErrorCode } from '../../errors/error-codes.js';
import { UnavailableError } from '../../errors/api-error.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { createDataSource } from '../../database/data-source.js';
import { probeDisk, SMALL_PROBE_ROWS } from '../../database/disk-probe.js';
import { LazyDataSource } from '../../database/lazy-data-source.js';
import type { ReadyDto } from './dto/health.dto.js';

const RETRY_AFTER_SECONDS = 5;
const CACHE_MS = 2_000;

interface DatabaseState {
  readonly missing: string[];
  readonly oldestQueuedSeconds: number | null;
  /** A pooler may connect to a server that has become a standby. */
  readonly isStandby: boolean;
}

interface StateRow {
  readonly is_standby: boolean;
  readonly migrations: string[];
  readonly oldest_queued_seconds: number | null;
}

/**
 * Answers health checks, which need no key. They share one probe every two seconds on a separate connection, so
 * that they never delay a submit.
 */
@Injectable()
export class HealthService implements OnApplicationShutdown {
  private readonly logger = new Logger(HealthService.name);
  private readonly pool: LazyDataSource;
  private reading: Promise<ReadyDto> | null = null;
  private notReadyBecause: string | null = null;
  private latest: { readonly report: ReadyDto; readonly readAt: number } | null = null;

  constructor(@Inject(CONFIGURATION) configuration: Configuration) {
    const { databaseUrl: url, databasePreparedStatements: preparesStatements } = configuration;
    const settings = { url, poolSize: 1, applicationName: 'einvoice-health', preparesStatements };
    this.pool = new LazyDataSource(createDataSource(settings));
  }

  /** @throws UnavailableError (503) without a schema, or if the database is unavailable, a standby or full */
  async ready(): Promise<ReadyDto> {
    if (this.latest !== null && performance.now() - this.latest.readAt < CACHE_MS) return this.latest.report;
    this.reading ??= this.readAndLog().finally(() => (this.reading = null));
    return this.reading;
  }

  private async readAndLog(): Promise<ReadyDto> {
    try {
      const report = await this.read();
      if (this.notReadyBecause !== null) this.logger.log('Ready again');
      this.notReadyBecause = null;
      return report;
    } catch (error) {
      const { message, cause } = error as Error;
      const line = { msg: `Not ready: ${message}`, error: cause instanceof Error ? cause.message : undefined };
      if (this.notReadyBecause !== message) this.logger.error(line);
      this.notReadyBecause = message;
      throw error;
    }
  }

  private async read(): Promise<ReadyDto> {
    const { missing, oldestQueuedSeconds, isStandby } = await this.readState().catch((error: unknown) => {
      throw isDiskFull(error)
        ? buildUnavailable('disk_full', "The database's disk is full: make room on it", error)
        : buildUnavailable('database_unavailable', 'The database does not respond', error);
    });
    if (isStandby) throw buildUnavailable('database_unavailable', 'The database is a standby and takes no writes');
    if (missing.length > 0) {
      throw buildUnavailable('migrations_missing', `Migrations are missing: run "npm run migrate"`);
    }
    const report: ReadyDto = { status: 'ok', database: 'ok', migrations: 'ok', oldestQueuedSeconds };
    this.latest = { report, readAt: performance.now() };
    return report;
  }

  private async readState(): Promise<DatabaseState> {
    const dataSource = await this.pool.open();
    const known = dataSource.migrations.map((migration) => migration.name ?? migration.constructor.name);
    await probeDisk(dataSource, SMALL_PROBE_ROWS);
    return dataSource.transaction(async (tx) => {
      const [{ migrations, oldest_queued_seconds: oldestQueuedSeconds, is_standby: isStandby }] = await tx.query<
        StateRow[]
      >(`SELECT ARRAY(SELECT name::text FROM schema_migration) AS migrations, oldest_queued_seconds(),
               pg_is_in_recovery() AS is_standby`);
      const missing = known.filter((name) => !migrations.includes(name));
      return { missing, oldestQueuedSeconds, isStandby };
    });
  }

  onApplicationShutdown(): Promise<void> {
    return this.pool.close();
  }
}

function buildUnavailable(code: ErrorCode, message: string, cause?: unknown): UnavailableError {
  return Object.assign(new UnavailableError(code, message, RETRY_AFTER_SECONDS), { cause });
}
