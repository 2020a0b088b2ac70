import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Environment } from '../config/environment.js';
import { withReruns } from './reruns.js';

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

const OPEN_TENANT = `SELECT set_config('app.tenant_id', $1, true), service_now() AS now`;

/**
 * Opens the transactions of several statements in which the API touches a tenant's rows: their first statement sets the
 * tenant, which row-level security compares every row with. A work that lost a race is run again, whole. What is one
 * statement goes through a SQL function that sets the tenant itself.
 */
@Injectable()
export class TenantTransactions {
  constructor(private readonly dataSource: DataSource) {}

  inTenant<T>(
    { tenantId }: Pick<Caller, 'tenantId'>,
    work: (transaction: TenantTransaction) => Promise<T>,
  ): Promise<T> {
    return withReruns(() =>
      this.dataSource.transaction(async (tx) => {
        const [{ now }] = await tx.query<{ now: Date; set_config: string }[]>(OPEN_TENANT, [tenantId]);
        return work({ tx, now });
      }),
    );
  }
}
