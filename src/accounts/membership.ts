import type { EntityManager } from 'typeorm';
import type { Role } from './roles.js';

/** Reads and locks a user's role until the commit. @returns null for a disabled user or a non-member */
export async function lockRole(tx: EntityManager, userId: string): Promise<Role | null> {
  const [{ role }] = await tx.query<{ role: Role | null }[]>('SELECT lock_role($1) AS role', [userId]);
  return role;
}
