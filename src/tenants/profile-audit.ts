import type { EntityManager } from 'typeorm';
import { type Actor, appendAudit, type Change } from '../accounts/audit.js';
import { PROFILE_FIELDS, type TenantProfile } from './tenant-profile.js';

interface ProfileChanged {
  readonly tenantId: string;
  readonly before: TenantProfile;
  readonly after: TenantProfile;
}

/** Records the changed fields of a profile in the audit log, each with its old and new value. */
export async function recordProfileChange(
  tx: EntityManager,
  { tenantId, before, after }: ProfileChanged,
  actor: Actor,
): Promise<void> {
  const fields = PROFILE_FIELDS.filter((field) => before[field] !== after[field]);
  if (fields.length === 0) return;
  const changes = Object.fromEntries(fields.map((field) => [field, { from: before[field], to: after[field] }]));
  const entry: Change = { tenantId, action: 'organisation.profile_changed', subject: after.name, details: { changes } };
  await appendAudit(tx, actor, entry);
}
