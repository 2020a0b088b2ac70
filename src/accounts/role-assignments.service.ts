import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull, Not } from 'typeorm';
import { appendAudit, COMMAND_ACTOR, NO_ORGANISATION, type Change } from './audit.js';
import { KEY_CHOICES, type KeyChoice, listWorkingKeys, revokeKeys, type WorkingKey } from './api-keys/user-keys.js';
import { AccountsService, normaliseEmail, findUserId } from './accounts.service.js';
import { OperatorError } from '../errors/operator-error.js';
import { SERVICE_NOW } from '../database/clock.js';
import { UserAccount } from '../entities/user-account.entity.js';
import { revokeInvitations } from './open-invitations.js';
import { hashPassword } from './password.js';
import { endPasswordLink } from './password-links.service.js';
import type { Role } from './roles.js';
import { SessionsService } from './sessions.service.js';

export type RoleScope = { readonly role: 'operator' } | { readonly role: Role; readonly tenantId: string };

export interface RoleAssignment {
  readonly email: string;
  readonly name: string;
  readonly password: string;
  readonly scope: RoleScope;
  /** Whether the account must already exist. */
  readonly isExisting: boolean;
}

export interface UserListing {
  readonly email: string;
  readonly name: string;
  readonly isOperator: boolean;
  /** `Kedai Contoh Sdn Bhd (owner)`, for each organisation. */
  readonly organisations: readonly string[];
  readonly createdAt: Date;
  /** Latest use of the open sessions; null without sessions. */
  readonly lastSeenAt: Date | null;
  readonly disabledAt: Date | null;
}

export interface DisabledUser {
  /** False if the user was already disabled. */
  readonly isChanged: boolean;
  /** Organisations without another owner who can sign in. */
  readonly withoutOwner: readonly { readonly tenantId: string; readonly name: string }[];
  /** Keys that the user created and that were valid until now. */
  readonly keys: readonly (WorkingKey & { readonly isRevoked: boolean })[];
}

const LIST = /* sql */ `
  SELECT u.email, u.name, u.is_operator AS "isOperator", u.created_at AS "createdAt",
         ARRAY(SELECT t.name || ' (' || m.role || ')' FROM membership m JOIN tenant t ON t.tenant_id = m.tenant_id
                WHERE m.user_id = u.id ORDER BY t.name, t.tenant_id) AS organisations,
         (SELECT max(s.last_seen_at) FROM user_session s WHERE s.user_id = u.id) AS "lastSeenAt",
         u.disabled_at AS "disabledAt"
    FROM user_account u ORDER BY u.email`;

const WITHOUT_OWNER = /* sql */ `
  SELECT t.tenant_id AS "tenantId", t.name FROM membership m JOIN tenant t ON t.tenant_id = m.tenant_id
   WHERE m.user_id = $1 AND m.role = 'owner' AND NOT EXISTS (
     SELECT FROM membership o JOIN user_account u ON u.id = o.user_id
      WHERE o.tenant_id = m.tenant_id AND o.role = 'owner' AND u.disabled_at IS NULL)
   ORDER BY t.name, t.tenant_id`;

// 120 bits, short enough to type once at the first sign-in.
const PASSWORD_BYTES = 15;

export function generatePassword(): string {
  return randomBytes(PASSWORD_BYTES).toString('base64url');
}

/** User management of operator commands. Only these commands create operators. */
@Injectable()
export class RoleAssignmentsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
  ) {}

  list(): Promise<UserListing[]> {
    return this.dataSource.query<UserListing[]>(LIST);
  }

  /**
   * Assigns a role to a new or existing account. The creator of an existing account is unverified, so the account gets a
   * new password and name, and its sessions and link end.
   * @throws OperatorError if the account exists unexpectedly or does not exist, DashboardError if the user
   * is already a member
   */
  async assign({ email: given, name, password, scope, isExisting }: RoleAssignment): Promise<void> {
    const email = normaliseEmail(given);
    const passwordHash = await hashPassword(password);
    await this.dataSource.transaction(async (tx) => {
      const user = { email, name, passwordHash };
      const userId = isExisting ? await this.takeOver(tx, user) : await this.create(tx, user);
      await this.assignScope(tx, { userId, email, scope });
    });
  }

  /**
   * Disables a user and immediately ends their sessions and invitations, even for the last owner of an organisation.
   * @param choice what to do with the user's API keys; may be null if there are none
   * @returns null for an unknown user
   * @throws OperatorError with the keys if the choice is missing
   */
  disable(email: string, choice: KeyChoice | null): Promise<DisabledUser | null> {
    return this.dataSource.transaction(async (tx) => {
      const userId = await findUserId(tx, email);
      if (userId === null) return null;
      const isChanged = await this.change(tx, { userId, email, action: 'user.disabled' });
      // The user could use their own invitations to regain access.
      if (isChanged) await revokeInvitations(tx, { invitedBy: userId });
      // After the lock on the user, so that concurrently created keys are included or rejected.
      const keys = await listWorkingKeys(tx, { userId, tenantId: null });
      if (isChanged && keys.length > 0 && choice === null) throw buildKeyChoiceError(email, keys);
      const isRevoked = choice === 'revoke';
      if (isRevoked) await revokeKeys(tx, COMMAND_ACTOR, { keys, because: 'user.disabled' });
      const withoutOwner = await tx.query<DisabledUser['withoutOwner']>(WITHOUT_OWNER, [userId]);
      return { isChanged, withoutOwner, keys: keys.map((key) => Object.assign({}, key, { isRevoked })) };
    });
  }

  /** Enables a disabled user with the earlier password and roles. @returns null for an unknown user */
  enable(email: string): Promise<{ isChanged: boolean } | null> {
    return this.dataSource.transaction(async (tx) => {
      const userId = await findUserId(tx, email);
      if (userId === null) return null;
      return { isChanged: await this.change(tx, { userId, email, action: 'user.enabled' }) };
    });
  }

  // Enabling ends sessions too, because one may have been opened while the user was being disabled.
  private async change(
    tx: EntityManager,
    { userId, email, action }: { userId: string; email: string; action: 'user.disabled' | 'user.enabled' },
  ): Promise<boolean> {
    const { affected } =
      action === 'user.disabled'
        ? await tx.update(UserAccount, { id: userId, disabledAt: IsNull() }, { disabledAt: SERVICE_NOW })
        : await tx.update(UserAccount, { id: userId, disabledAt: Not(IsNull()) }, { disabledAt: null });
    if (affected === 0) return false;
    await endPasswordLink(tx, userId);
    await this.sessions.endAll(tx, userId);
    await appendAudit(tx, COMMAND_ACTOR, { tenantId: NO_ORGANISATION, action, subject: normaliseEmail(email) });
    return true;
  }

  private async create(
    tx: EntityManager,
    user: { email: string; name: string; passwordHash: string },
  ): Promise<string> {
    const userId = await this.accounts.createUser(tx, user);
    if (userId === null) throw buildAccountExistsError(user.email);
    const change: Change = { tenantId: NO_ORGANISATION, action: 'user.created', subject: user.email };
    await appendAudit(tx, COMMAND_ACTOR, change);
    return userId;
  }

  private async takeOver(
    tx: EntityManager,
    { email, name, passwordHash }: { email: string; name: string; passwordHash: string },
  ): Promise<string> {
    const userId = await this.accounts.replacePassword(tx, email, passwordHash);
    if (userId === null) throw new OperatorError(`There is no account ${email}: leave --existing out to make it`);
    const { affected } = await tx.update(UserAccount, { id: userId, disabledAt: IsNull() }, { name });
    if (affected === 0) throw new OperatorError(`${email} is disabled: "user enable --email ${email}" comes first`);
    return userId;
  }

  private async assignScope(
    tx: EntityManager,
    { userId, email, scope }: { userId: string; email: string; scope: RoleScope },
  ): Promise<void> {
    if (scope.role === 'operator') {
      await tx.update(UserAccount, { id: userId }, { isOperator: true });
      await appendAudit(tx, COMMAND_ACTOR, { tenantId: NO_ORGANISATION, action: 'operator.appointed', subject: email });
      return;
    }
    const { tenantId, role } = scope;
    await this.accounts.addMember(tx, { tenantId, userId, role });
    await appendAudit(tx, COMMAND_ACTOR, { tenantId, action: 'member.added', subject: email, details: { role } });
  }
}

function buildAccountExistsError(email: string): OperatorError {
  return new OperatorError(
    `${email} has an account already, and no e-mail has proven its owner, so no data was changed. If you know the person, ` +
      'add --existing: the account gets the role, the name and a new password, and is signed out everywhere',
  );
}

function buildKeyChoiceError(email: string, keys: readonly WorkingKey[]): OperatorError {
  const lines = keys.map((key) => `\n${formatKey(key)}`);
  return new OperatorError(
    `${email} created API keys that still work and may know their text, so no data was changed. Repeat the command with ` +
      `${KEY_CHOICES.map((choice) => `--keys ${choice}`).join(' or ')}:${lines.join('')}`,
  );
}

export function formatKey({ tenantId, keyId, name, environment, prefix, lastFour, lastUsedAt }: WorkingKey): string {
  const use = lastUsedAt === null ? 'never used' : `last used ${lastUsedAt.toISOString()}`;
  return `key ${keyId} "${name}" (${prefix}…${lastFour}, ${environment}) of tenant ${tenantId}, ${use}`;
}
