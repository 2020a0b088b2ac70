import type { Environment, Organisation, Session } from '../api/session';

const ORGANISATION = 'einvoice.organisation';
const ENVIRONMENT = 'einvoice.environment';

/** Returns the organisation that was last open in this browser, or the first one. */
export function lastOrganisation({ organisations }: Session): Organisation | undefined {
  const tenantId = read(ORGANISATION);
  return organisations.find((organisation) => organisation.tenantId === tenantId) ?? organisations[0];
}

/** Returns the environment that was last open in this browser, or the first one. */
export function lastEnvironment({ environments }: Session): Environment {
  const environment = read(ENVIRONMENT);
  return environments.find((one) => one === environment) ?? environments[0] ?? 'sandbox';
}

export function rememberOrganisation(tenantId: string): void {
  write(ORGANISATION, tenantId);
}

export function rememberEnvironment(environment: Environment): void {
  write(ENVIRONMENT, environment);
}

// Returns null if the browser denies access to the storage.
function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    return;
  }
}
