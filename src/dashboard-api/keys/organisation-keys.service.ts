import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { appendAudit } from '../../accounts/audit.js';
import { toActivityCounts, type KeyActivity, readKeyActivity } from '../../accounts/api-keys/key-activity.js';
import { createKey, findKey, listKeys, type NewKey, replaceKey, revokeKey } from '../../accounts/api-keys/keys.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { ValidationError } from '../../errors/api-error.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { DashboardTransactions } from '../../database/database.module.js';
import type { ApiKey } from '../../entities/api-key.entity.js';
import { UserAccount } from '../../entities/user-account.entity.js';
import { assertVerified } from '../../tenants/verification/verification.js';
import { readVerification } from '../../tenants/verification/verification.sql.js';
import { type Page, toPage, type PageRequest } from '../cursor.js';
import type { Member } from '../session/access.js';
import { type ActorDto, toActor } from '../shown-actor.js';
import type { KeyDto, KeyState, MadeKeyDto, RotatedKeyDto } from './dto/key.dto.js';

/** API keys of an organisation, managed by its members (docs/rules.md#api-keys). */
@Injectable()
export class OrganisationKeysService {
  constructor(
    private readonly transactions: DashboardTransactions,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  list({ tenantId }: Member, request: PageRequest): Promise<Page<KeyDto>> {
    return this.transactions.inTenant({ tenantId }, async ({ tx, now }) => {
      const keys = await listKeys(tx, tenantId, { after: request.after, limit: request.limit + 1 });
      const { items, next } = toPage(keys, request, ({ id }) => id);
      const creators = await readCreators(tx, items);
      return { items: items.map((key) => toKeyDto(key, creators, now)), next };
    });
  }

  /**
   * @throws ValidationError (400) if the service does not serve the environment
   * @throws SupplierNotVerifiedError (400) if the organisation is not verified in the environment
   */
  create(
    member: Member,
    { name, environment, expiresAt }: { name: string; environment: Environment; expiresAt: Date | null },
  ): Promise<MadeKeyDto> {
    this.assertServed(environment);
    const { tenantId, actor } = member;
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      assertVerified(await readVerification(tx, { tenantId, environment }), environment);
      const made = await createKey(tx, toNewKey(member, { environment, name, expiresAt }));
      const details = { keyId: made.keyId, environment, expiresAt };
      await appendAudit(tx, actor, { tenantId, action: 'key.created', subject: name, details });
      return { ...made, environment, expiresAt };
    });
  }

  /**
   * Creates a key with the same name and environment. The old key expires after the overlap. Verification is not
   * required, so that a leaked key can always be replaced.
   * @throws DashboardError 404; 409 if the key is expired, revoked or already rotated
   */
  rotate(
    member: Member,
    keyId: string,
    { overlapHours, expiresAt }: { overlapHours: number; expiresAt: Date | null },
  ): Promise<RotatedKeyDto> {
    const { tenantId, actor } = member;
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      const old = await findExistingKey(tx, tenantId, keyId);
      const { name, environment } = old;
      this.assertServed(environment);
      const made = await createKey(tx, toNewKey(member, { environment, name, expiresAt }));
      const oldEndsAt = await replaceKey(tx, old, { replacedBy: made.keyId, overlapHours });
      if (oldEndsAt === null) throw new DashboardError('state_conflict', { message: NOT_TO_ROTATE });
      const details = { keyId: old.id, newKeyId: made.keyId, environment, overlapHours, oldEndsAt, expiresAt };
      await appendAudit(tx, actor, { tenantId, action: 'key.rotated', subject: name, details });
      return { ...made, environment, expiresAt, oldEndsAt };
    });
  }

  /** @throws DashboardError (404) */
  activity({ tenantId }: Member, keyId: string): Promise<KeyActivity> {
    return this.transactions.inTenant({ tenantId }, async ({ tx }) =>
      readKeyActivity(tx, await findExistingKey(tx, tenantId, keyId)),
    );
  }

  /** @throws DashboardError 404; 409 if the key is already revoked */
  revoke({ tenantId, actor }: Member, keyId: string): Promise<void> {
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      const key = await findExistingKey(tx, tenantId, keyId);
      const { id, name, environment } = key;
      const isRevoked = await revokeKey(tx, tenantId, id);
      if (!isRevoked) throw new DashboardError('state_conflict', { message: 'This key is already revoked' });
      const activity = toActivityCounts(await readKeyActivity(tx, key));
      const details = { keyId: id, environment, activity };
      await appendAudit(tx, actor, { tenantId, action: 'key.revoked', subject: name, details });
    });
  }

  private assertServed(environment: Environment): void {
    const { authorities } = this.configuration;
    if (authorities[environment] !== undefined) return;
    const served = ENVIRONMENTS.filter((known) => authorities[known] !== undefined);
    const message = `must be an environment of this service, which ${environment} is not`;
    const hint = `use ${served.join(' or ')}`;
    throw new ValidationError([{ pointer: '/environment', rule: 'environment_served', message, hint }]);
  }
}

function toNewKey(
  { tenantId, session }: Member,
  { environment, name, expiresAt }: { environment: Environment; name: string; expiresAt: Date | null },
): NewKey {
  return { tenantId, environment, name, createdBy: session.userId, expiresAt: expiresAt ?? undefined };
}

async function readCreators(tx: EntityManager, keys: readonly ApiKey[]): Promise<ReadonlyMap<string, ActorDto>> {
  const users = await tx.findBy(UserAccount, { id: In(keys.flatMap(({ createdBy }) => createdBy ?? [])) });
  return new Map(users.map((user) => [user.id, toActor(user)]));
}

const NOT_TO_ROTATE =
  'This key has been rotated, revoked or has expired: rotate the key that replaced it, or create a new key';

async function findExistingKey(tx: EntityManager, tenantId: string, keyId: string): Promise<ApiKey> {
  const key = isUuid(keyId) ? await findKey(tx, tenantId, keyId) : null;
  if (key === null) throw new DashboardError('not_found_here', { message: 'This organisation has no such API key' });
  return key;
}

function toKeyDto(key: ApiKey, creators: ReadonlyMap<string, ActorDto>, now: Date): KeyDto {
  const { id, name, environment, prefix, lastFour, createdAt, lastUsedAt, expiresAt, revokedAt, replacedBy } = key;
  const createdBy = key.createdBy === null ? null : (creators.get(key.createdBy) ?? null);
  const uses = { createdAt, createdBy, lastUsedAt, expiresAt, revokedAt, replacedBy };
  return { keyId: id, name, environment, prefix, lastFour, state: getKeyState(key, now), ...uses };
}

function getKeyState({ revokedAt, expiresAt, replacedBy }: ApiKey, now: Date): KeyState {
  if (revokedAt !== null) return 'Revoked';
  if (expiresAt !== null && expiresAt <= now) return 'Expired';
  return replacedBy === null ? 'Active' : 'Ending';
}
