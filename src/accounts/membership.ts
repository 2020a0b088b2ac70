import type { EntityManager } from 'typeorm';
import type { Role } from './roles.js';

/**
 * The role of a user in the organisation that the transaction has entered, which stays so until the transaction ends: a
 * transaction that removes or disables the user waits, and then sees what the transaction made.
 * @returns null when they are no member any more, or may not sign in
 */
export async function lockRole(tx: EntityManager, userId: string): Promise<Role | null> {
  const [{ role }] = await tx.query<{ role: Role | null }[]>('SELECT lock_role($1) AS role', [userId]);
  return role;
}
