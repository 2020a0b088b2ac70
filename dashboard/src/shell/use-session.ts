import { getRouteApi } from '@tanstack/react-router';
import type { Environment, Organisation, Scope, Session } from '../api/session';

const signedIn = getRouteApi('/signed-in');
const organisation = getRouteApi('/signed-in/o/$tenantId');
const environment = getRouteApi('/signed-in/o/$tenantId/$environment');

export function useSession(): Session {
  return signedIn.useRouteContext().session;
}

/** Returns the organisation in the URL. Requires a page below `organisationRoute`. */
export function useOrganisation(): Organisation {
  return organisation.useRouteContext().organisation;
}

/** Returns the environment in the URL. Requires a page below `environmentRoute`. */
export function useEnvironment(): Environment {
  return environment.useRouteContext().environment;
}

export function useScope(): Scope {
  return { tenantId: useOrganisation().tenantId, environment: useEnvironment() };
}
