import type { EntityManager } from 'typeorm';
import { type Actor, appendAudit } from '../audit/audit.js';
import { Tenant } from '../entities/tenant.entity.js';
import { TenantRateLimit } from '../entities/tenant-rate-limit.entity.js';
import { LIMITED_KINDS, NO_OWN_FIGURES, type OwnFigures } from './limits.js';

/** What an operator has set for an organisation. */
export async function readOwnFigures(tx: EntityManager, tenantId: string): Promise<OwnFigures> {
  return toFigures(await tx.findOneBy(TenantRateLimit, { tenantId }));
}

/**
 * Sets the given figures of an organisation, as an operator, and says so in the audit log if one is another than before.
 * @returns all of them; null when there is no such organisation
 */
export async function changeOwnFigures(
  tx: EntityManager,
  actor: Actor,
  { tenantId, change }: { tenantId: string; change: Partial<OwnFigures> },
): Promise<OwnFigures | null> {
  // Locked, so that each of two changes at the same time is recorded with what it changed.
  const lock = { mode: 'pessimistic_read' } as const;
  const tenant = await tx.findOne(Tenant, { where: { tenantId }, lock });
  if (tenant === null) return null;
  const before = await readOwnFigures(tx, tenantId);
  const after = { ...before, ...change };
  const changed = LIMITED_KINDS.filter((kind) => before[kind] !== after[kind]);
  if (changed.length === 0) return before;
  const { requests: requestsPerMinute, submits: submitsPerMinute, tinChecks: tinChecksPerMinute } = after;
  const row = { tenantId, requestsPerMinute, submitsPerMinute, tinChecksPerMinute };
  await tx.upsert(TenantRateLimit, row, ['tenantId']);
  const changes = Object.fromEntries(changed.map((kind) => [kind, { from: before[kind], to: after[kind] }]));
  await appendAudit(tx, actor, {
    tenantId,
    action: 'organisation.limits_changed',
    subject: tenant.name,
    details: { changes },
  });
  return after;
}

function toFigures(row: TenantRateLimit | null): OwnFigures {
  if (row === null) return NO_OWN_FIGURES;
  const { requestsPerMinute: requests, submitsPerMinute: submits, tinChecksPerMinute: tinChecks } = row;
  return { requests, submits, tinChecks };
}
