import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ErrorCode } from '../common/error-codes.js';
import { UnavailableError } from '../common/errors.js';
import type { ReadyDto } from './dto/health.dto.js';

const RETRY_AFTER_SECONDS = 5;

@Injectable()
export class HealthService {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws UnavailableError (503) when the database does not answer or lacks a migration */
  async ready(): Promise<ReadyDto> {
    const [state] = await this.dataSource
      .query<{ migrations: string[]; oldest_queued_seconds: number | null }[]>(
        `SELECT applied_migrations() AS migrations, oldest_queued_seconds()`,
      )
      .catch(() => [null]);
    if (state === null) throw unavailable('database_unavailable', 'The database does not answer');
    const missing = this.dataSource.migrations.filter(
      (migration) => !state.migrations.includes(migration.name ?? migration.constructor.name),
    );
    if (missing.length > 0) {
      throw unavailable('migrations_missing', `Migrations are missing: run "npm run migrate"`);
    }
    return { status: 'ok', database: 'ok', migrations: 'ok', oldestQueuedSeconds: state.oldest_queued_seconds };
  }
}

function unavailable(code: ErrorCode, message: string): UnavailableError {
  return new UnavailableError(code, message, RETRY_AFTER_SECONDS);
}
