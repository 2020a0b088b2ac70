import type { EntityManager } from 'typeorm';
import { type Actor, appendAudit } from '../accounts/audit.js';
import { Tenant } from '../entities/tenant.entity.js';
import { TenantRateLimit } from '../entities/tenant-rate-limit.entity.js';
import { LIMITED_KINDS, NO_OWN_LIMITS, type OwnLimits } from './limits.js';

// The operators' role can only update these columns.
const STORE = /* sql */ `
  INSERT INTO tenant_rate_limit (tenant_id, requests_per_minute, submits_per_minute, tin_checks_per_minute)
  VALUES ($1, $2, $3, $4)
  ON CONFLICT (tenant_id) DO UPDATE SET requests_per_minute = excluded.requests_per_minute,
    submits_per_minute = excluded.submits_per_minute, tin_checks_per_minute = excluded.tin_checks_per_minute`;

export async function readOwnLimits(tx: EntityManager, tenantId: string): Promise<OwnLimits> {
  return toOwnLimits(await tx.findOneBy(TenantRateLimit, { tenantId }));
}

/** Changes limits with an audit entry. @returns all limits, or null for an unknown organisation */
export async function changeOwnLimits(
  tx: EntityManager,
  actor: Actor,
  { tenantId, change }: { tenantId: string; change: Partial<OwnLimits> },
): Promise<OwnLimits | null> {
  const tenant = await tx.findOneBy(Tenant, { tenantId });
  if (tenant === null) return null;
  // The lock serialises changes, so that each audit entry states the previous value.
  const before = toOwnLimits(
    await tx.findOne(TenantRateLimit, { where: { tenantId }, lock: { mode: 'pessimistic_write' } }),
  );
  const after = { ...before, ...change };
  const changed = LIMITED_KINDS.filter((kind) => before[kind] !== after[kind]);
  if (changed.length === 0) return before;
  await tx.query(STORE, [tenantId, after.requests, after.submits, after.tinChecks]);
  const changes = Object.fromEntries(changed.map((kind) => [kind, { from: before[kind], to: after[kind] }]));
  await appendAudit(tx, actor, {
    tenantId,
    action: 'organisation.limits_changed',
    subject: tenant.name,
    details: { changes },
  });
  return after;
}

function toOwnLimits(row: TenantRateLimit | null): OwnLimits {
  if (row === null) return NO_OWN_LIMITS;
  const { requestsPerMinute: requests, submitsPerMinute: submits, tinChecksPerMinute: tinChecks } = row;
  return { requests, submits, tinChecks };
}
