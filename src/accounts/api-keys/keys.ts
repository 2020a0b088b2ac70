import { type EntityManager, IsNull } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { Environment } from '../../config/environment.js';
import { SERVICE_NOW } from '../../database/clock.js';
import { ApiKey } from '../../entities/api-key.entity.js';
import { createApiKeyText, digestApiKey, describeApiKeyText } from './api-key-text.js';

// Management of API keys (docs/rules.md#api-keys). KeyService authenticates requests.

export const KEY_NAME_CHARACTERS_MAX = 100;

export interface NewKey {
  readonly tenantId: string;
  readonly environment: Environment;
  readonly name: string;
  readonly createdBy: string | null;
  readonly expiresAt?: Date;
}

export interface MadeKey {
  readonly keyId: string;
  readonly apiKey: string;
}

export async function createKey(tx: EntityManager, key: NewKey): Promise<MadeKey> {
  const apiKey = createApiKeyText(key.environment);
  const id = uuidv7();
  await tx.insert(ApiKey, {
    id,
    tenantId: key.tenantId,
    environment: key.environment,
    name: key.name,
    ...describeApiKeyText(apiKey),
    digest: digestApiKey(apiKey),
    createdAt: SERVICE_NOW,
    createdBy: key.createdBy,
    expiresAt: key.expiresAt ?? null,
  });
  return { keyId: id, apiKey };
}

/** Lists a tenant's keys, newest first: all, or `limit` keys created before `after`. */
export function listKeys(
  tx: EntityManager,
  tenantId: string,
  { after = null, limit = null }: { after?: string | null; limit?: number | null } = {},
): Promise<ApiKey[]> {
  const keys = tx.createQueryBuilder(ApiKey, 'key').where('key.tenantId = :tenantId', { tenantId });
  if (after !== null) keys.andWhere('key.id < :after', { after });
  return keys
    .orderBy('key.id', 'DESC')
    .limit(limit ?? undefined)
    .getMany();
}

export function findKey(tx: EntityManager, tenantId: string, keyId: string): Promise<ApiKey | null> {
  return tx.findOneBy(ApiKey, { tenantId, id: keyId });
}

/** Revokes a key. @returns whether it was valid before */
export async function revokeKey(tx: EntityManager, tenantId: string, keyId: string): Promise<boolean> {
  const { affected } = await tx.update(
    ApiKey,
    { tenantId, id: keyId, revokedAt: IsNull() },
    { revokedAt: SERVICE_NOW },
  );
  return affected === 1;
}

// Of two concurrent rotations, only the first finds no replacement.
const REPLACE = /* sql */ `
UPDATE api_key
   SET replaced_by = $3, expires_at = least(expires_at, service_now() + make_interval(hours => $4))
 WHERE tenant_id = $1 AND id = $2 AND replaced_by IS NULL AND revoked_at IS NULL
   AND (expires_at IS NULL OR expires_at > service_now())
RETURNING expires_at AS "endsAt"`;

/** Lets a replaced key expire soon. @returns its expiry, or null if it was already replaced, revoked or expired */
export async function replaceKey(
  tx: EntityManager,
  { tenantId, id }: Pick<ApiKey, 'tenantId' | 'id'>,
  { replacedBy, overlapHours }: { replacedBy: string; overlapHours: number },
): Promise<Date | null> {
  const [rows] = await tx.query<[{ endsAt: Date }[], number]>(REPLACE, [tenantId, id, replacedBy, overlapHours]);
  return rows[0]?.endsAt ?? null;
}
