import { Inject, Injectable, Optional } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { FairSemaphore } from '../common/fair-semaphore.js';
import type { Environment } from '../config/environment.js';

/** On whose behalf a call runs: known from its API key. */
export interface Caller {
  readonly tenantId: string;
  readonly environment: Environment;
}

/** Who makes a call: an API key, or a user of the dashboard. */
export type RequestActor = { readonly keyId: string } | { readonly userId: string };

export interface AuthenticatedCaller extends Caller {
  readonly actor: RequestActor;
}

/** What a tenant's transaction works with; `now` is the database's clock, read once at its start. */
export interface TenantTransaction {
  readonly tx: EntityManager;
  readonly now: Date;
}

type TenantWork<T> = (transaction: TenantTransaction) => Promise<T>;

/** Injection token of the slots in which the tenants of a process use its connections. */
export const CONNECTION_SHARES = Symbol('ConnectionShares');

// Longer than any of our statements takes; shorter than the pool lets a statement wait for a connection.
const WAIT_MS = 4_000;
const QUEUE_MAX = 500;

/**
 * Half of the connections for one tenant (docs/security.md#neighbours). One of all is left for what has no
 * tenant, such as looking up keys.
 */
export function createConnectionShares(poolSize: number): FairSemaphore {
  const capacity = Math.max(1, poolSize - 1);
  const share = Math.max(1, Math.floor(poolSize / 2));
  return new FairSemaphore({ capacity, share, waitMs: WAIT_MS, queueMax: QUEUE_MAX });
}

const OPEN_TENANT = `SELECT set_config('app.tenant_id', $1, true), service_now() AS now`;

/**
 * Opens the transactions of several statements in which the API touches a tenant's rows: their first statement sets the
 * tenant, which row-level security compares every row with. What is one statement goes through a SQL function that sets
 * the tenant itself.
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

  /** The same for reads whose statements must see the rows of one moment. */
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
   * Does database work that needs one connection within the tenant's share of them; `inTenant` does so itself, and must
   * not be nested in it.
   * @throws NoSlotError when the share, or every connection, stays in use
   */
  inShare<T>({ tenantId }: Pick<Caller, 'tenantId'>, work: () => Promise<T>): Promise<T> {
    return this.shares === null ? work() : this.shares.run(tenantId, work);
  }
}
