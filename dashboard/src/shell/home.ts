import type { LinkProps } from '@tanstack/react-router';
import { type Environment, type Organisation, hasRole } from '../api/session';
import { type Area, type NavigationEntry, navigation } from './navigation';

/** Returns the entries that the user's role may open. */
export function entriesFor(area: Area, organisation: Organisation): readonly NavigationEntry[] {
  return navigation.filter((entry) => entry.area === area && hasRole(organisation, entry.role ?? 'viewer'));
}

/** Returns the first page of the menu, or null if the menu is empty. */
export function findHome(organisation: Organisation, environment: Environment): LinkProps | null {
  const first = entriesFor('environment', organisation)[0] ?? entriesFor('organisation', organisation)[0];
  if (first === undefined) return null;
  return { to: first.to, params: { tenantId: organisation.tenantId, environment } } as LinkProps;
}
