import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { validate as isUuid } from 'uuid';
import type { Role } from '../../accounts/roles.js';
import { appendAudit } from '../../audit/audit.js';
import { DashboardError } from '../../common/dashboard-errors.js';
import { TenantTransactions } from '../../database/in-tenant.js';
import { type Page, pageOf, type PageRequest } from '../cursor.js';
import type { Member } from '../session/access.js';
import { revokeInvitationsBy } from './invitations.sql.js';
import { deleteMember, listMembers, lockMember, lockOwners, type MemberRow, setRole } from './members.sql.js';

/**
 * Who belongs to an organisation, and as what. It always has an owner. Whoever is an owner no more takes the links along
 * that they have made: none of them is a way back in.
 */
@Injectable()
export class MembersService {
  constructor(private readonly transactions: TenantTransactions) {}

  /** The members, those with the oldest accounts first. */
  list({ tenantId }: Member, request: PageRequest): Promise<Page<MemberRow>> {
    return this.transactions.inTenant({ tenantId }, async ({ tx }) =>
      pageOf(await listMembers(tx, tenantId, request), request, ({ userId }) => userId),
    );
  }

  /** @throws DashboardError 403 when the caller is an owner no more, 404, or 409 for the last owner */
  changeRole(caller: Member, userId: string, role: Role): Promise<MemberRow> {
    const { tenantId, actor, session } = caller;
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      const owners = await lockOwners(tx, tenantId);
      assertOwner(owners, session.userId);
      const member = await existingMember(tx, tenantId, userId);
      if (member.role === role) return member;
      if (member.role === 'owner') assertAnotherOwner(owners, member.userId);
      await setRole(tx, tenantId, member.userId, role);
      const revokedInvitations = await revokeInvitationsBy(tx, tenantId, member.userId);
      const details = { from: member.role, to: role, revokedInvitations };
      await appendAudit(tx, actor, { tenantId, action: 'member.role_changed', subject: member.email, details });
      return { ...member, role };
    });
  }

  /** @throws DashboardError 403 when the caller is an owner no more, 404, or 409 for the last owner */
  remove({ tenantId, actor, session }: Member, userId: string): Promise<void> {
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      const owners = await lockOwners(tx, tenantId);
      assertOwner(owners, session.userId);
      const member = await existingMember(tx, tenantId, userId);
      if (member.role === 'owner') assertAnotherOwner(owners, member.userId);
      await deleteMember(tx, tenantId, member.userId);
      const revokedInvitations = await revokeInvitationsBy(tx, tenantId, member.userId);
      const details = { role: member.role, revokedInvitations };
      await appendAudit(tx, actor, { tenantId, action: 'member.removed', subject: member.email, details });
    });
  }

  /** The caller leaves the organisation. @throws DashboardError 409 for the last owner */
  leave({ tenantId, actor, session }: Member): Promise<void> {
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      const owners = await lockOwners(tx, tenantId);
      const { role, userId, email } = await existingMember(tx, tenantId, session.userId);
      if (role === 'owner') assertAnotherOwner(owners, userId);
      await deleteMember(tx, tenantId, userId);
      const revokedInvitations = await revokeInvitationsBy(tx, tenantId, userId);
      const details = { role, revokedInvitations };
      await appendAudit(tx, actor, { tenantId, action: 'member.left', subject: email, details });
    });
  }
}

async function existingMember(tx: EntityManager, tenantId: string, userId: string): Promise<MemberRow> {
  const member = isUuid(userId) ? await lockMember(tx, tenantId, userId) : null;
  if (member === null) throw new DashboardError('not_found_here', { message: 'This organisation has no such member' });
  return member;
}

// The session's role was read before the lock; another owner may have changed it meanwhile.
function assertOwner(owners: readonly string[], userId: string): void {
  if (!owners.includes(userId)) throw new DashboardError('role_too_low', { facts: { neededRole: 'owner' } });
}

function assertAnotherOwner(owners: readonly string[], userId: string): void {
  if (owners.every((owner) => owner === userId)) throw new DashboardError('last_owner');
}
