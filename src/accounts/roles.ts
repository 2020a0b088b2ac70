/** Roles in ascending order; each includes the permissions of the earlier ones. */
export const ROLES = ['viewer', 'member', 'owner'] as const;

export type Role = (typeof ROLES)[number];

export function suffices(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
