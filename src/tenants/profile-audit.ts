import type { EntityManager } from 'typeorm';
import { type Actor, appendAudit, type Change } from '../accounts/audit.js';
import { PROFILE_FIELDS, type TenantProfile } from './tenant-profile.js';

interface ProfileChanged {
  readonly tenantId: string;
  readonly before: TenantProfile;
  readonly after: TenantProfile;
}

/** Appends the changed fields of a profile with old and new values to the audit log. */
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
