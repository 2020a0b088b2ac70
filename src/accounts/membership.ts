import type { EntityManager } from 'typeorm';
import type { Role } from './roles.js';

/**
 * Reads and locks a user's role in the current organisation. A transaction that removes or disables the user waits for
 * this one and then sees its changes.
 * @returns null if the user is no longer a member or may not sign in
 */
export async function lockRole(tx: EntityManager, userId: string): Promise<Role | null> {
  const [{ role }] = await tx.query<{ role: Role | null }[]>('SELECT lock_role($1) AS role', [userId]);
  return role;
}
