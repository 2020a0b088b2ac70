import type { EntityManager } from 'typeorm';
import { type Actor, appendAudit } from '../audit/audit.js';
import type { Environment } from '../config/environment.js';
import { revokeKey } from './keys.js';

/** What becomes of the keys that somebody made when they lose access. */
export const KEY_CHOICES = ['keep', 'revoke'] as const;
export type KeyChoice = (typeof KEY_CHOICES)[number];

/** A key that still works. */
export interface WorkingKey {
  readonly tenantId: string;
  readonly keyId: string;
  readonly name: string;
  readonly environment: Environment;
  readonly prefix: string;
  readonly lastFour: string;
  readonly lastUsedAt: Date | null;
}

const LIST = /* sql */ `
SELECT tenant_id AS "tenantId", id AS "keyId", name, environment, prefix, last_four AS "lastFour",
       last_used_at AS "lastUsedAt"
  FROM api_key
 WHERE created_by = $1 AND ($2::uuid IS NULL OR tenant_id = $2) AND revoked_at IS NULL
   AND (expires_at IS NULL OR expires_at > service_now())
 ORDER BY tenant_id, id`;

/**
 * The keys that a user made and whose text they may know.
 * @param tenantId of this organisation alone; null for all, in the owner's role
 */
export function listWorkingKeys(
  tx: EntityManager,
  { userId, tenantId }: { userId: string; tenantId: string | null },
): Promise<WorkingKey[]> {
  return tx.query<WorkingKey[]>(LIST, [userId, tenantId]);
}

/** Ends keys at once, each with its entry in the audit log; one that was revoked meanwhile stays as it is. */
export async function revokeKeys(
  tx: EntityManager,
  actor: Actor,
  { keys, because }: { keys: readonly WorkingKey[]; because: string },
): Promise<void> {
  for (const { tenantId, keyId, name, environment } of keys) {
    if (!(await revokeKey(tx, tenantId, keyId))) continue;
    const details = { keyId, environment, because };
    await appendAudit(tx, actor, { tenantId, action: 'key.revoked', subject: name, details });
  }
}
