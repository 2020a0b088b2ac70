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
import { type Page, toPage, type PageRequest } from '../cursor.js';
import type { Member } from '../session/access.js';
import { deleteMember, listMembers, lockMember, lockOwners, type MemberRow, setRole } from './members.sql.js';

/**
 * Who belongs to an organisation, and as what. It always has an owner. A former owner takes the links along
 * that they have made: none of them is a way back in.
 */
@Injectable()
export class MembersService {
  constructor(private readonly transactions: DashboardTransactions) {}

  /** The members, those with the oldest accounts first. */
  list({ tenantId }: Member, request: PageRequest): Promise<Page<MemberRow>> {
    return this.transactions.inTenant({ tenantId }, async ({ tx }) =>
      toPage(await listMembers(tx, tenantId, request), request, ({ userId }) => userId),
    );
  }

  /** @throws DashboardError 403 when the caller is an owner no more, 404, or 409 for the last owner */
  changeRole(caller: Member, userId: string, role: Role): Promise<MemberRow> {
    const { tenantId, actor } = caller;
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      const owners = await lockOwners(tx, tenantId);
      await confirmAccess(tx);
      const member = await lockExistingMember(tx, tenantId, userId);
      if (member.role === role) return member;
      if (member.role === 'owner') assertAnotherOwner(owners, member.userId);
      await setRole(tx, tenantId, member.userId, role);
      const revokedInvitations = await revokeInvitations(tx, { tenantId, invitedBy: member.userId });
      const details = { from: member.role, to: role, revokedInvitations };
      await appendAudit(tx, actor, { tenantId, action: 'member.role_changed', subject: member.email, details });
      return { ...member, role };
    });
  }

  /**
   * @param choice what becomes of the keys that the member made; null: not said, which is enough when there are none
   * @throws DashboardError 403 when the caller is an owner no more, 404, 409 for the last owner, or 409 with the keys
   */
  remove(caller: Member, userId: string, choice: KeyChoice | null): Promise<void> {
    const { tenantId, actor } = caller;
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      const owners = await lockOwners(tx, tenantId);
      await confirmAccess(tx);
      const member = await lockExistingMember(tx, tenantId, userId);
      if (member.role === 'owner') assertAnotherOwner(owners, member.userId);
      await deleteMember(tx, tenantId, member.userId);
      const keys = await settleKeys(tx, caller, { member: member, choice, because: 'member.removed' });
      const revokedInvitations = await revokeInvitations(tx, { tenantId, invitedBy: member.userId });
      const details = { role: member.role, revokedInvitations, ...keys };
      await appendAudit(tx, actor, { tenantId, action: 'member.removed', subject: member.email, details });
    });
  }

  /**
   * The caller leaves the organisation.
   * @throws DashboardError 409 for the last owner, or with the keys that they made when the choice is missing; 403 when
   * their role does not suffice to revoke keys
   */
  leave(caller: Member, choice: KeyChoice | null): Promise<void> {
    const { tenantId, actor, session } = caller;
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      const owners = await lockOwners(tx, tenantId);
      await confirmAccess(tx);
      const member = await lockExistingMember(tx, tenantId, session.userId);
      const { role, userId, email } = member;
      if (role === 'owner') assertAnotherOwner(owners, userId);
      if (choice === 'revoke') assertMayRevoke(role);
      await deleteMember(tx, tenantId, userId);
      const keys = await settleKeys(tx, caller, { member, choice, because: 'member.left' });
      const revokedInvitations = await revokeInvitations(tx, { tenantId, invitedBy: userId });
      const details = { role, revokedInvitations, ...keys };
      await appendAudit(tx, actor, { tenantId, action: 'member.left', subject: email, details });
    });
  }
}

interface MemberDeparture {
  readonly member: MemberRow;
  readonly choice: KeyChoice | null;
  readonly because: 'member.removed' | 'member.left';
}

/**
 * Ends or keeps the keys that a member made, as was said. The membership is locked: they make no further one meanwhile.
 */
async function settleKeys(
  tx: EntityManager,
  { tenantId, actor }: Member,
  { member, choice, because }: MemberDeparture,
): Promise<{ revokedKeys: string[]; keptKeys: string[] }> {
  const keys = await listWorkingKeys(tx, { userId: member.userId, tenantId });
  if (keys.length > 0 && choice === null) throw buildUndecidedError(keys);
  const ids = keys.map(({ keyId }) => keyId);
  if (choice !== 'revoke') return { revokedKeys: [], keptKeys: ids };
  await revokeKeys(tx, actor, { keys, because });
  return { revokedKeys: ids, keptKeys: [] };
}

function buildUndecidedError(keys: readonly WorkingKey[]): DashboardError {
  const names = keys.map(({ name, prefix, lastFour }) => `${name} (${prefix}…${lastFour})`).join(', ');
  const message = `${DASHBOARD_ERRORS.member_keys_undecided.message}, with keys=keep or keys=revoke: ${names}`;
  return new DashboardError('member_keys_undecided', { message, facts: { keys } });
}

async function lockExistingMember(tx: EntityManager, tenantId: string, userId: string): Promise<MemberRow> {
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
