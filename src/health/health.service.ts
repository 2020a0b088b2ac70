import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { isDiskFull } from '../errors/database-unavailable.js';
import type { ErrorCode } from '../errors/error-codes.js';
import { UnavailableError } from '../errors/api-error.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import { createDataSource } from '../database/data-source.js';
import type { ReadyDto } from './dto/health.dto.js';

const RETRY_AFTER_SECONDS = 5;
const CACHE_MS = 2_000;

// Reads go on when the disk is full. What does not fit into so little memory is written to the disk, a hundred
// kilobytes, and taken away again: no row, no right and no line of the write-ahead log is needed for it.
const PROBE_MEMORY = '64kB';
const WRITE_TO_DISK = 'SELECT count(*) FROM generate_series(1, 10000)';

interface DatabaseState {
  readonly migrations: string[];
  readonly oldest_queued_seconds: number | null;
  readonly set_config: string;
}

/**
 * Anyone may ask, without a key: all of them together have one connection, which is not one of those that serve
 * requests, and one probe every two seconds. Asked of the pool instead, they would be where a submit waits.
 */
@Injectable()
export class HealthService implements OnApplicationShutdown {
  private readonly logger = new Logger(HealthService.name);
  private opening: Promise<DataSource> | null = null;
  private reading: Promise<ReadyDto> | null = null;
  private latest: { readonly answer: ReadyDto; readonly readAt: number } | null = null;

  constructor(@Inject(CONFIGURATION) private readonly configuration: Configuration) {}

  /** @throws UnavailableError (503) when the database does not answer, has no room on its disk or lacks a migration */
  async ready(): Promise<ReadyDto> {
    if (this.latest !== null && performance.now() - this.latest.readAt < CACHE_MS) return this.latest.answer;
    this.reading ??= this.read().finally(() => (this.reading = null));
    return this.reading;
  }

  private async read(): Promise<ReadyDto> {
    const { dataSource, state } = await this.readState().catch((error: unknown) => {
      if (!isDiskFull(error)) throw buildUnavailable('database_unavailable', 'The database does not answer');
      this.logger.error({ error: `The database's disk is full: ${error.message}` });
      throw buildUnavailable('disk_full', "The database's disk is full: make room on it");
    });
    const missing = dataSource.migrations.filter(
      (migration) => !state.migrations.includes(migration.name ?? migration.constructor.name),
    );
    if (missing.length > 0) {
      throw buildUnavailable('migrations_missing', `Migrations are missing: run "npm run migrate"`);
    }
    const { oldest_queued_seconds: oldestQueuedSeconds } = state;
    const answer: ReadyDto = { status: 'ok', database: 'ok', migrations: 'ok', oldestQueuedSeconds };
    this.latest = { answer, readAt: performance.now() };
    return answer;
  }

  private async readState(): Promise<{ dataSource: DataSource; state: DatabaseState }> {
    const dataSource = await this.open();
    const state = await dataSource.transaction(async (tx) => {
      const [read] = await tx.query<DatabaseState[]>(
        `SELECT applied_migrations() AS migrations, oldest_queued_seconds(), set_config('work_mem', $1, true)`,
        [PROBE_MEMORY],
      );
      await tx.query<unknown[]>(WRITE_TO_DISK).catch((error: unknown) => {
        // Others than a full disk say nothing about it, such as a limit of the operator's on such files.
        if (isDiskFull(error)) throw error;
      });
      return read;
    });
    return { dataSource, state };
  }

  private async open(): Promise<DataSource> {
    const { databaseUrl: url } = this.configuration;
    this.opening ??= createDataSource({ url, poolSize: 1, applicationName: 'einvoice-health' }).initialize();
    try {
      return await this.opening;
    } catch (error) {
      // The next request tries again.
      this.opening = null;
      throw error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    const dataSource = await this.opening?.catch(() => null);
    await dataSource?.destroy();
  }
}

function buildUnavailable(code: ErrorCode, message: string): UnavailableError {
  return new UnavailableError(code, message, RETRY_AFTER_SECONDS);
}
