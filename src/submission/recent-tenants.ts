import type { Caller } from '../database/in-tenant.js';
import type { TenantRow } from '../tenants/tenant-row.js';

/** For how long a tenant stands for its next submits, in milliseconds. */
export const RECENT_MS = 2_000;

/** Tenants that are kept at most. A rush of more only costs reads. */
const TENANTS_MAX = 1_000;

/** A tenant as it was read, and the database's clock. */
export interface ReadTenant {
  readonly tenant: TenantRow;
  readonly now: Date;
}

interface Entry extends ReadTenant {
  readonly readAt: number;
}

/**
 * Tenants that have just submitted, in each environment: their next submits are decided without reading them again.
 * Whether they are still the same is asked when such a submit is stored (docs/decisions/0096-submits-without-a-read.md).
 */
export class RecentTenants {
  private readonly entries = new Map<string, Entry>();

  /** @param monotonicNow milliseconds of a clock that never jumps */
  constructor(private readonly monotonicNow: () => number = () => performance.now()) {}

  /** The tenant as it was read, and what the database's clock shows by now; undefined when that was too long ago. */
  find(caller: Caller): ReadTenant | undefined {
    const entry = this.entries.get(toName(caller));
    if (entry === undefined) return undefined;
    const age = this.monotonicNow() - entry.readAt;
    return age < RECENT_MS ? { tenant: entry.tenant, now: new Date(entry.now.getTime() + age) } : undefined;
  }

  remember(caller: Caller, { tenant, now }: ReadTenant): void {
    if (this.entries.size >= TENANTS_MAX) this.entries.clear();
    this.entries.set(toName(caller), { tenant, now, readAt: this.monotonicNow() });
  }
}

function toName({ tenantId, environment }: Caller): string {
  return `${tenantId}/${environment}`;
}
