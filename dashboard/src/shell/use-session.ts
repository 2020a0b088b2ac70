import { getRouteApi } from '@tanstack/react-router';
import type { Environment, Organisation, Session } from '../api/session';

const signedIn = getRouteApi('/signed-in');
const organisation = getRouteApi('/signed-in/o/$tenantId');
const environment = getRouteApi('/signed-in/o/$tenantId/$environment');

/** The signed-in user's session; for pages below `signedInRoute`. */
export function useSession(): Session {
  return signedIn.useRouteContext().session;
}

/** The organisation of the address, with the user's role in it; for pages below `organisationRoute`. */
export function useOrganisation(): Organisation {
  return organisation.useRouteContext().organisation;
}

/** The environment of the address; for pages below `environmentRoute`. */
export function useEnvironment(): Environment {
  return environment.useRouteContext().environment;
}
