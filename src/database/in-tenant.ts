import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import type { Environment } from '../config/environment.js';

/** On whose behalf a call runs: known from its API key. */
export interface Caller {
  readonly tenantId: string;
  readonly environment: Environment;
}

export interface AuthenticatedCaller extends Caller {
  /** The database's clock when the key was checked. */
  readonly receivedAt: Date;
}

/** What a tenant's transaction works with; `now` is the database's clock, read once at its start. */
export interface TenantTransaction {
  readonly tx: EntityManager;
  readonly now: Date;
  /** The work has lost a race before, and is run again. */
  readonly isRetry: boolean;
}

/** A statement that begins a tenant's transaction, and the row that it gives. */
export interface Opening<Row> {
  readonly statement: string;
  readonly parameters: readonly unknown[];
  /** Never there: carries the row's type. */
  readonly row?: Row;
}

const OPEN_TENANT = `SELECT set_config('app.tenant_id', $1, true), service_now() AS now`;

const ATTEMPTS_MAX = 3;
// Deadlock, serialization failure.
const RETRYABLE_SQL_STATES: ReadonlySet<string> = new Set(['40P01', '40001']);
// Another call inserted the same row after this one had looked for it; run again, the look-up finds it.
const RETRYABLE_CONSTRAINTS: ReadonlySet<string> = new Set(['uq_document_reference', 'pk_idempotency_record']);

/**
 * Opens the only transactions in which the API touches a tenant's rows: their first statement sets the tenant, which
 * row-level security compares every row with. A work that lost a race is run again, whole.
 */
@Injectable()
export class TenantTransactions {
  constructor(private readonly dataSource: DataSource) {}

  inTenant<T>(caller: Pick<Caller, 'tenantId'>, work: (transaction: TenantTransaction) => Promise<T>): Promise<T> {
    const opening: Opening<{ now: Date }> = { statement: OPEN_TENANT, parameters: [caller.tenantId] };
    return this.opened(opening, ({ tx, row, isRetry }) => work({ tx, now: row.now, isRetry }));
  }

  /** As `inTenant`, with an opening statement that sets the tenant and reads what the work needs in one round trip. */
  async opened<Row, T>(
    { statement, parameters }: Opening<Row>,
    work: (opened: { tx: EntityManager; row: Row; isRetry: boolean }) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.dataSource.transaction(async (tx) => {
          const [row] = await tx.query<Row[]>(statement, [...parameters]);
          return work({ tx, row, isRetry: attempt > 1 });
        });
      } catch (error) {
        if (attempt === ATTEMPTS_MAX || !isRetryable(error)) throw error;
      }
    }
  }
}

function isRetryable(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const { code, constraint } = error.driverError as { code?: string; constraint?: string };
  return RETRYABLE_SQL_STATES.has(code ?? '') || RETRYABLE_CONSTRAINTS.has(constraint ?? '');
}
