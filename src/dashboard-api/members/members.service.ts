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
 * Who belongs to an organisation, and as what. It always has an owner. A former owner takes the links along
 * that they have made: none of them is a way back in.
 */
@Injectable()
export class MembersService {
  constructor(private readonly transactions: DashboardTransactions) {}

  /** The members, those with the oldest accounts first. */
  list({ tenantId }: Member, request: PageRequest): Promise<Page<MemberDto>> {
    return this.transactions.inTenant({ tenantId }, async ({ tx }) =>
      toPage(await listMembers(tx, tenantId, request), request, ({ userId }) => userId),
    );
  }

  /** @throws DashboardError 403 when the caller is an owner no more, 404, or 409 for the last owner */
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
   * @param choice what becomes of the keys that the member made; null: not said, which is enough when there are none
   * @throws DashboardError 403 when the caller is an owner no more, 404, 409 for the last owner, or 409 with the keys
   */
  remove(caller: Member, userId: string, choice: KeyChoice | null): Promise<void> {
    return this.end(caller, { userId, choice, action: 'member.removed' });
  }

  /**
   * The caller leaves the organisation.
   * @throws DashboardError 409 for the last owner, or with the keys that they made when the choice is missing; 403 when
   *   their role does not suffice to revoke keys
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

/**
 * Ends or keeps the keys that a member made, as was said. The membership is locked: they make no further one meanwhile.
 */
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

/** The members of an organisation, in the order of their accounts: a page of them and one more. */
function listMembers(tx: EntityManager, tenantId: string, { after, limit }: PageRequest): Promise<MemberDto[]> {
  return tx.query<MemberDto[]>(
    `${MEMBER} WHERE m.tenant_id = $1 AND ($2::uuid IS NULL OR m.user_id > $2) ORDER BY m.user_id LIMIT $3`,
    [tenantId, after, limit + 1],
  );
}

/** The member with this account, locked against another change; null when there is none. */
async function lockMember(tx: EntityManager, tenantId: string, userId: string): Promise<MemberDto | null> {
  const [member] = await tx.query<MemberDto[]>(`${MEMBER} WHERE m.tenant_id = $1 AND m.user_id = $2 FOR UPDATE OF m`, [
    tenantId,
    userId,
  ]);
  return member ?? null;
}

/**
 * Who owns the organisation and may sign in, locked in one order: of two simultaneous changes, the second sees what the
 * first left, since the rows are read again after the wait.
 */
async function lockOwners(tx: EntityManager, tenantId: string): Promise<string[]> {
  const owners = await tx.query<{ userId: string }[]>(
    `SELECT m.user_id AS "userId" FROM membership m JOIN user_account u ON u.id = m.user_id
      WHERE m.tenant_id = $1 AND m.role = 'owner' AND u.disabled_at IS NULL ORDER BY m.user_id FOR UPDATE OF m`,
    [tenantId],
  );
  return owners.map(({ userId }) => userId);
}
