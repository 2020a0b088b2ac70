import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { revokeInvitations } from '../../accounts/open-invitations.js';
import { type Role, suffices } from '../../accounts/roles.js';
import { appendAudit } from '../../accounts/audit.js';
import { type KeyChoice, listWorkingKeys, revokeKeys, type WorkingKey } from '../../accounts/api-keys/user-keys.js';
import { DASHBOARD_ERRORS, DashboardError } from '../../errors/dashboard-errors.js';
import { confirmAccess } from '../../database/access.js';
import { DashboardTransactions } from '../../database/database.module.js';
import { Membership } from '../../entities/membership.entity.js';
import { type Page, toPage, type PageRequest } from '../cursor.js';
import type { Member } from '../session/access.js';
import type { MemberDto } from './dto/member.dto.js';

/**
 * Members of an organisation, which always has an owner. When an owner is demoted or removed, open invitations of that
 * owner are revoked, because they could be used to rejoin.
 */
@Injectable()
export class MembersService {
  constructor(private readonly transactions: DashboardTransactions) {}

  list({ tenantId }: Member, request: PageRequest): Promise<Page<MemberDto>> {
    return this.transactions.inTenant({ tenantId }, async ({ tx }) =>
      toPage(await listMembers(tx, tenantId, request), request, ({ userId }) => userId),
    );
  }

  /** @throws DashboardError 403 if the caller is no longer an owner, 404, or 409 for the last owner */
  changeRole(caller: Member, userId: string, role: Role): Promise<MemberDto> {
    const { tenantId, actor } = caller;
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      const owners = await lockOwners(tx, tenantId);
      await confirmAccess(tx);
      const member = await lockExistingMember(tx, tenantId, userId);
      if (member.role === role) return member;
      if (member.role === 'owner') assertAnotherOwner(owners, member.userId);
      await tx.update(Membership, { tenantId, userId: member.userId }, { role });
      const revokedInvitations = await revokeInvitations(tx, { tenantId, invitedBy: member.userId });
      const details = { from: member.role, to: role, revokedInvitations };
      await appendAudit(tx, actor, { tenantId, action: 'member.role_changed', subject: member.email, details });
      return Object.assign({}, member, { role });
    });
  }

  /**
   * @param choice whether to keep or revoke the member's API keys; may be null if the member has none
   * @throws DashboardError 403 if the caller is no longer an owner, 404, 409 for the last owner, or 409 with the keys
   */
  remove(caller: Member, userId: string, choice: KeyChoice | null): Promise<void> {
    return this.end(caller, { userId, choice, action: 'member.removed' });
  }

  /**
   * Removes the caller from the organisation.
   * @throws DashboardError 409 for the last owner, 409 with the caller's keys if the choice is missing, or 403 if the
   *   caller's role may not revoke keys
   */
  leave(caller: Member, choice: KeyChoice | null): Promise<void> {
    return this.end(caller, { userId: caller.session.userId, choice, action: 'member.left' });
  }

  private end(caller: Member, departure: Departure): Promise<void> {
    const { tenantId, actor } = caller;
    const { choice, action } = departure;
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      const owners = await lockOwners(tx, tenantId);
      await confirmAccess(tx);
      const { role, userId, email } = await lockExistingMember(tx, tenantId, departure.userId);
      if (role === 'owner') assertAnotherOwner(owners, userId);
      if (action === 'member.left' && choice === 'revoke') assertMayRevoke(role);
      await tx.delete(Membership, { tenantId, userId });
      const keys = await settleKeys(tx, caller, { userId, choice, action });
      const revokedInvitations = await revokeInvitations(tx, { tenantId, invitedBy: userId });
      const details = { role, revokedInvitations, ...keys };
      await appendAudit(tx, actor, { tenantId, action, subject: email, details });
    });
  }
}

interface Departure {
  readonly userId: string;
  readonly choice: KeyChoice | null;
  readonly action: 'member.removed' | 'member.left';
}

/** Revokes or keeps the keys of a member. The caller has locked the membership, so no key can be added meanwhile. */
async function settleKeys(
  tx: EntityManager,
  { tenantId, actor }: Member,
  { userId, choice, action }: Departure,
): Promise<{ revokedKeys: string[]; keptKeys: string[] }> {
  const keys = await listWorkingKeys(tx, { userId, tenantId });
  if (keys.length > 0 && choice === null) throw buildUndecidedError(keys);
  const ids = keys.map(({ keyId }) => keyId);
  if (choice !== 'revoke') return { revokedKeys: [], keptKeys: ids };
  await revokeKeys(tx, actor, { keys, because: action });
  return { revokedKeys: ids, keptKeys: [] };
}

function buildUndecidedError(keys: readonly WorkingKey[]): DashboardError {
  const names = keys.map(({ name, prefix, lastFour }) => `${name} (${prefix}…${lastFour})`).join(', ');
  const message = `${DASHBOARD_ERRORS.member_keys_undecided.message}, with keys=keep or keys=revoke: ${names}`;
  return new DashboardError('member_keys_undecided', { message, facts: { keys } });
}

async function lockExistingMember(tx: EntityManager, tenantId: string, userId: string): Promise<MemberDto> {
  const member = isUuid(userId) ? await lockMember(tx, tenantId, userId) : null;
  if (member === null) throw new DashboardError('not_found_here', { message: 'This organisation has no such member' });
  return member;
}

function assertMayRevoke(role: Role): void {
  if (!suffices(role, 'member')) throw new DashboardError('role_too_low', { facts: { role, neededRole: 'member' } });
}

function assertAnotherOwner(owners: readonly string[], userId: string): void {
  if (owners.every((owner) => owner === userId)) throw new DashboardError('last_owner');
}

const MEMBER = /* sql */ `
SELECT m.user_id AS "userId", u.name, u.email, m.role, m.created_at AS "joinedAt"
  FROM membership m JOIN user_account u ON u.id = m.user_id`;

function listMembers(tx: EntityManager, tenantId: string, { after, limit }: PageRequest): Promise<MemberDto[]> {
  return tx.query<MemberDto[]>(
    `${MEMBER} WHERE m.tenant_id = $1 AND ($2::uuid IS NULL OR m.user_id > $2) ORDER BY m.user_id LIMIT $3`,
    [tenantId, after, limit + 1],
  );
}

async function lockMember(tx: EntityManager, tenantId: string, userId: string): Promise<MemberDto | null> {
  const [member] = await tx.query<MemberDto[]>(`${MEMBER} WHERE m.tenant_id = $1 AND m.user_id = $2 FOR UPDATE OF m`, [
    tenantId,
    userId,
  ]);
  return member ?? null;
}

/**
 * Locks and returns the owners who may sign in, in a fixed order. Of two concurrent changes, the second waits and then
 * reads the result of the first.
 */
async function lockOwners(tx: EntityManager, tenantId: string): Promise<string[]> {
  const owners = await tx.query<{ userId: string }[]>(
    `SELECT m.user_id AS "userId" FROM membership m JOIN user_account u ON u.id = m.user_id
      WHERE m.tenant_id = $1 AND m.role = 'owner' AND u.disabled_at IS NULL ORDER BY m.user_id FOR UPDATE OF m`,
    [tenantId],
  );
  return owners.map(({ userId }) => userId);
}
