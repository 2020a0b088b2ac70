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
}

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

  async inTenant<T>(
    caller: Pick<Caller, 'tenantId'>,
    work: (transaction: TenantTransaction) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.dataSource.transaction(async (tx) => {
          const [{ now }] = await tx.query<{ now: Date }[]>(
            `SELECT set_config('app.tenant_id', $1, true), service_now() AS now`,
            [caller.tenantId],
          );
          return work({ tx, now });
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
