/** What a user may do in an organisation, the least first; each may also what those before it may. */
export const ROLES = ['viewer', 'member', 'owner'] as const;

export type Role = (typeof ROLES)[number];

/** Whether a role suffices where another one is needed. */
export function suffices(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
