import type { EntityManager } from 'typeorm';
import type { Role } from '../../accounts/roles.js';
import { Membership } from '../../entities/membership.entity.js';
import { UserAccount } from '../../entities/user-account.entity.js';
import type { PageRequest } from '../cursor.js';

export interface MemberRow {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly joinedAt: Date;
}

const MEMBER = /* sql */ `
SELECT m.user_id AS "userId", u.name, u.email, m.role, m.created_at AS "joinedAt"
  FROM membership m JOIN user_account u ON u.id = m.user_id`;

/** The members of an organisation, in the order of their accounts: a page of them and one more. */
export function listMembers(tx: EntityManager, tenantId: string, { after, limit }: PageRequest): Promise<MemberRow[]> {
  return tx.query<MemberRow[]>(
    `${MEMBER} WHERE m.tenant_id = $1 AND ($2::uuid IS NULL OR m.user_id > $2) ORDER BY m.user_id LIMIT $3`,
    [tenantId, after, limit + 1],
  );
}

/** The member with this account, locked against another change; null when there is none. */
export async function lockMember(tx: EntityManager, tenantId: string, userId: string): Promise<MemberRow | null> {
  const [member] = await tx.query<MemberRow[]>(`${MEMBER} WHERE m.tenant_id = $1 AND m.user_id = $2 FOR UPDATE OF m`, [
    tenantId,
    userId,
  ]);
  return member ?? null;
}

/** Whether somebody with this e-mail address is a member. */
export async function isMember(tx: EntityManager, tenantId: string, email: string): Promise<boolean> {
  const user = await tx.findOneBy(UserAccount, { email });
  return user !== null && (await tx.existsBy(Membership, { tenantId, userId: user.id }));
}

/**
 * Who owns the organisation and may sign in, locked in one order: of two simultaneous changes, the second sees what the
 * first left, since the rows are read again after the wait.
 */
export async function lockOwners(tx: EntityManager, tenantId: string): Promise<string[]> {
  const owners = await tx.query<{ userId: string }[]>(
    `SELECT m.user_id AS "userId" FROM membership m JOIN user_account u ON u.id = m.user_id
      WHERE m.tenant_id = $1 AND m.role = 'owner' AND u.disabled_at IS NULL ORDER BY m.user_id FOR UPDATE OF m`,
    [tenantId],
  );
  return owners.map(({ userId }) => userId);
}

export async function setRole(tx: EntityManager, tenantId: string, userId: string, role: Role): Promise<void> {
  await tx.update(Membership, { tenantId, userId }, { role });
}

export async function deleteMember(tx: EntityManager, tenantId: string, userId: string): Promise<void> {
  await tx.delete(Membership, { tenantId, userId });
}
