import type { LinkProps } from '@tanstack/react-router';
import { type Environment, type Organisation, hasRole } from '../api/session';
import { type Area, type NavigationEntry, navigation } from './navigation';

/** The entries of one area that this member may open. */
export function entriesFor(area: Area, organisation: Organisation): readonly NavigationEntry[] {
  return navigation.filter((entry) => entry.area === area && hasRole(organisation, entry.role ?? 'viewer'));
}

/** The page that an organisation opens with: the first of the menu; null when there is none. */
export function findHome(organisation: Organisation, environment: Environment): LinkProps | null {
  const first = entriesFor('environment', organisation)[0] ?? entriesFor('organisation', organisation)[0];
  if (first === undefined) return null;
  return { to: first.to, params: { tenantId: organisation.tenantId, environment } } as LinkProps;
}
