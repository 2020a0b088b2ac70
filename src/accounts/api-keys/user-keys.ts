import { type EntityManager, IsNull } from 'typeorm';
import { type Actor, appendAudit } from '../audit.js';
import type { Environment } from '../../config/environment.js';
import { isAfterNow } from '../../database/clock.js';
import { ApiKey } from '../../entities/api-key.entity.js';
import { revokeKey } from './keys.js';

export const KEY_CHOICES = ['keep', 'revoke'] as const;
export type KeyChoice = (typeof KEY_CHOICES)[number];

export interface WorkingKey {
  readonly tenantId: string;
  readonly keyId: string;
  readonly name: string;
  readonly environment: Environment;
  readonly prefix: string;
  readonly lastFour: string;
  readonly lastUsedAt: Date | null;
}

/**
 * Lists the valid keys that a user created and may have copied.
 * @param tenantId null for all organisations, which requires the owner role
 */
export async function listWorkingKeys(
  tx: EntityManager,
  { userId, tenantId }: { userId: string; tenantId: string | null },
): Promise<WorkingKey[]> {
  const made = { createdBy: userId, revokedAt: IsNull(), ...(tenantId === null ? {} : { tenantId }) };
  const keys = await tx.find(ApiKey, {
    where: [
      { ...made, expiresAt: IsNull() },
      { ...made, expiresAt: isAfterNow() },
    ],
    order: { tenantId: 'ASC', id: 'ASC' },
  });
  return keys.map((key) => {
    const { id: keyId, name, environment, prefix, lastFour, lastUsedAt } = key;
    return { tenantId: key.tenantId, keyId, name, environment, prefix, lastFour, lastUsedAt };
  });
}

/** Revokes keys with an audit entry each. Skips revoked keys. */
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
