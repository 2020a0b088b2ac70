import { Inject, Injectable, Optional } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { FairSemaphore } from '../common/fair-semaphore.js';
import type { Environment } from '../config/environment.js';

export interface Caller {
  readonly tenantId: string;
  readonly environment: Environment;
}

export type RequestActor = { readonly keyId: string } | { readonly userId: string };

export interface AuthenticatedCaller extends Caller {
  readonly actor: RequestActor;
}

/** A tenant's database transaction; `now` is the database's time at its start. */
export interface TenantTransaction {
  readonly tx: EntityManager;
  readonly now: Date;
}

type TenantWork<T> = (transaction: TenantTransaction) => Promise<T>;

export const CONNECTION_SHARES = Symbol('ConnectionShares');

// Longer than any statement, but shorter than the pool's connection timeout.
const WAIT_MS = 4_000;
const QUEUE_MAX = 500;

/**
 * Limits each tenant to half of the connections (docs/security.md#neighbours). One connection is reserved
 * for work without a tenant, such as API key lookups.
 */
export function createConnectionShares(poolSize: number): FairSemaphore {
  const capacity = Math.max(1, poolSize - 1);
  const share = Math.max(1, Math.floor(poolSize / 2));
  return new FairSemaphore({ capacity, share, waitMs: WAIT_MS, queueMax: QUEUE_MAX });
}

const OPEN_TENANT = `SELECT set_config('app.tenant_id', $1, true), service_now() AS now`;

/**
 * Opens database transactions whose first statement sets the tenant for row-level security. Single statements use SQL
 * functions that set the tenant themselves.
 */
@Injectable()
export class TenantTransactions {
  constructor(
    private readonly dataSource: DataSource,
    @Optional() @Inject(CONNECTION_SHARES) private readonly shares: FairSemaphore | null = null,
  ) {}

  inTenant<T>(tenant: Pick<Caller, 'tenantId'>, work: TenantWork<T>): Promise<T> {
    return this.open(tenant, work, (run) => this.dataSource.transaction(run));
  }

  /** Runs reads in one snapshot. */
  readInTenant<T>(tenant: Pick<Caller, 'tenantId'>, work: TenantWork<T>): Promise<T> {
    return this.open(tenant, work, (run) => this.dataSource.transaction('REPEATABLE READ', run));
  }

  private open<T>(
    { tenantId }: Pick<Caller, 'tenantId'>,
    work: TenantWork<T>,
    begin: (run: (tx: EntityManager) => Promise<T>) => Promise<T>,
  ): Promise<T> {
    return this.inShare({ tenantId }, () =>
      begin(async (tx) => {
        const [{ now }] = await tx.query<{ now: Date; set_config: string }[]>(OPEN_TENANT, [tenantId]);
        return work({ tx, now });
      }),
    );
  }

  /**
   * Runs database work on one connection within the tenant's share. Must not be nested, not even in `inTenant`.
   * @throws NoSlotError if no connection becomes free in time
   */
  inShare<T>({ tenantId }: Pick<Caller, 'tenantId'>, work: () => Promise<T>): Promise<T> {
    return this.shares === null ? work() : this.shares.run(tenantId, work);
  }
}
