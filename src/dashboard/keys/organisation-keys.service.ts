import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { appendAudit } from '../../audit/audit.js';
import { createKey, findKey, listKeys, replaceKey, revokeKey } from '../../auth/keys.js';
import { DashboardError } from '../../common/dashboard-errors.js';
import { ValidationError } from '../../common/errors.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { TenantTransactions } from '../../database/in-tenant.js';
import type { ApiKey } from '../../entities/api-key.entity.js';
import { assertVerified } from '../../tenants/verification.js';
import { readVerification } from '../../tenants/verification.sql.js';
import { type Page, pageOf, type PageRequest } from '../cursor.js';
import type { Member } from '../session/access.js';
import type { KeyDto, KeyState, MadeKeyDto, RotatedKeyDto } from './dto/key.dto.js';

/** An organisation's API keys, as its members handle them (D2). */
@Injectable()
export class OrganisationKeysService {
  constructor(
    private readonly transactions: TenantTransactions,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** The keys, the newest first. */
  list({ tenantId }: Member, request: PageRequest): Promise<Page<KeyDto>> {
    return this.transactions.inTenant({ tenantId }, async ({ tx, now }) => {
      const keys = await listKeys(tx, tenantId, { after: request.after, limit: request.limit + 1 });
      const { items, next } = pageOf(keys, request, ({ id }) => id);
      return { items: items.map((key) => shownOf(key, now)), next };
    });
  }

  /**
   * @throws ValidationError (400) when the environment is not served
   * @throws SupplierNotVerifiedError (400) when the organisation is not verified there
   */
  create(
    { tenantId, actor }: Member,
    { name, environment, expiresAt }: { name: string; environment: Environment; expiresAt: Date | null },
  ): Promise<MadeKeyDto> {
    this.assertServed(environment);
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      assertVerified(await readVerification(tx, { tenantId, environment }), environment);
      const made = await createKey(tx, { tenantId, environment, name, expiresAt: expiresAt ?? undefined });
      const details = { keyId: made.keyId, environment, expiresAt };
      await appendAudit(tx, actor, { tenantId, action: 'key.created', subject: name, details });
      return { ...made, environment, expiresAt };
    });
  }

  /**
   * Makes a key of the same name and environment; the old one ends after the overlap. It opens nothing new, so it needs no
   * verification: a key that has leaked can always be replaced.
   * @throws DashboardError 404; 409 when the key works no more or has been rotated
   */
  rotate(
    { tenantId, actor }: Member,
    keyId: string,
    { overlapHours, expiresAt }: { overlapHours: number; expiresAt: Date | null },
  ): Promise<RotatedKeyDto> {
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      const old = await existingKey(tx, tenantId, keyId);
      const { name, environment } = old;
      this.assertServed(environment);
      const made = await createKey(tx, { tenantId, environment, name, expiresAt: expiresAt ?? undefined });
      const oldEndsAt = await replaceKey(tx, old, { replacedBy: made.keyId, overlapHours });
      if (oldEndsAt === null) throw new DashboardError('state_conflict', { message: NOT_TO_ROTATE });
      const details = { keyId: old.id, newKeyId: made.keyId, environment, overlapHours, oldEndsAt, expiresAt };
      await appendAudit(tx, actor, { tenantId, action: 'key.rotated', subject: name, details });
      return { ...made, environment, expiresAt, oldEndsAt };
    });
  }

  /** Ends a key at once. @throws DashboardError 404; 409 when it was revoked before */
  revoke({ tenantId, actor }: Member, keyId: string): Promise<void> {
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      const { id, name, environment } = await existingKey(tx, tenantId, keyId);
      const isRevoked = await revokeKey(tx, tenantId, id);
      if (!isRevoked) throw new DashboardError('state_conflict', { message: 'This key is revoked already' });
      const details = { keyId: id, environment };
      await appendAudit(tx, actor, { tenantId, action: 'key.revoked', subject: name, details });
    });
  }

  private assertServed(environment: Environment): void {
    const { authorities } = this.configuration;
    if (authorities[environment] !== undefined) return;
    const served = ENVIRONMENTS.filter((known) => authorities[known] !== undefined);
    const message = `must be one that this service serves, which ${environment} is not`;
    const hint = `use ${served.join(' or ')}`;
    throw new ValidationError([{ pointer: '/environment', rule: 'environment_served', message, hint }]);
  }
}

const NOT_TO_ROTATE =
  'This key has been rotated, revoked or has expired: rotate the key that took its place, or create a new one';

async function existingKey(tx: EntityManager, tenantId: string, keyId: string): Promise<ApiKey> {
  const key = isUuid(keyId) ? await findKey(tx, tenantId, keyId) : null;
  if (key === null) throw new DashboardError('not_found_here', { message: 'This organisation has no such API key' });
  return key;
}

/** What may be shown of a key: never its digest. */
function shownOf(key: ApiKey, now: Date): KeyDto {
  const { id, name, environment, prefix, lastFour, createdAt, lastUsedAt, expiresAt, revokedAt, replacedBy } = key;
  const uses = { createdAt, lastUsedAt, expiresAt, revokedAt, replacedBy };
  return { keyId: id, name, environment, prefix, lastFour, state: stateOf(key, now), ...uses };
}

function stateOf({ revokedAt, expiresAt, replacedBy }: ApiKey, now: Date): KeyState {
  if (revokedAt !== null) return 'Revoked';
  if (expiresAt !== null && expiresAt <= now) return 'Expired';
  return replacedBy === null ? 'Active' : 'Ending';
}
