import type { EntityManager } from 'typeorm';
import type { Role } from './roles.js';

const LOCK_ROLE = /* sql */ `
SELECT m.role FROM membership m JOIN user_account u ON u.id = m.user_id
 WHERE m.tenant_id = $1 AND m.user_id = $2 AND u.disabled_at IS NULL
   FOR SHARE`;

/**
 * The role of a user in an organisation, which stays so until the transaction ends: a transaction that removes or
 * disables the user waits, and then sees what the transaction made.
 * @returns null when they are no member any more, or may not sign in
 */
export async function lockRole(
  tx: EntityManager,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<Role | null> {
  const [member] = await tx.query<{ role: Role }[]>(LOCK_ROLE, [tenantId, userId]);
  return member?.role ?? null;
}
