import type { DataFolder } from './data-folder.js';
import type { EmbeddedDatabase } from './embedded-database.js';

/** The process's environment, as the one-machine programs read and complete it. */
export const environment: NodeJS.ProcessEnv = process.env;

const DATABASE_SETTINGS = ['DATABASE_URL', 'DATABASE_DISPATCHER_URL', 'DATABASE_OWNER_URL'] as const;

export function isSet(name: string): boolean {
  return Boolean(environment[name]?.trim());
}

/**
 * Whether the service runs on the embedded database: unless DATABASE_URL is set (docs/rules.md#commands-and-settings).
 * @throws Error when the other roles' addresses are set without it: half a database is a mistake
 */
export function usesEmbeddedDatabase(): boolean {
  if (isSet('DATABASE_URL')) return false;
  const others = DATABASE_SETTINGS.filter(isSet);
  if (others.length > 0) {
    throw new Error(
      `${others.join(' and ')} without DATABASE_URL: set all of ${DATABASE_SETTINGS.join(', ')}, or none`,
    );
  }
  return true;
}

/**
 * Whether the authority's stand-in takes the sandbox's place: unless AUTHORITY_SANDBOX_API_URL is set
 * (docs/rules.md#commands-and-settings).
 */
export function usesSimulator(): boolean {
  return !isSet('AUTHORITY_SANDBOX_API_URL');
}

/** The environments whose documents go to the authority itself: what they say of their time is said to it. */
export function realEnvironments(): string[] {
  const real = { sandbox: !usesSimulator(), production: isSet('AUTHORITY_PRODUCTION_API_URL') };
  return Object.entries(real).flatMap(([name, isReal]) => (isReal ? [name] : []));
}

export function databaseSettings(database: EmbeddedDatabase, { secrets }: DataFolder): NodeJS.ProcessEnv {
  return {
    DATABASE_URL: database.appUrl,
    DATABASE_DISPATCHER_URL: database.dispatcherUrl,
    DATABASE_OPERATOR_URL: database.operatorUrl,
    DATABASE_OWNER_URL: database.ownerUrl,
    SECRETS_KEY: environment.SECRETS_KEY?.trim() || secrets.secretsKey,
  };
}

/**
 * The simulator takes any credentials and enforces no call limits; what is set in addition to its address still holds.
 */
export function simulatorSettings(url: string): NodeJS.ProcessEnv {
  return {
    AUTHORITY_SANDBOX_API_URL: url,
    AUTHORITY_SANDBOX_IDENTITY_URL: url,
    AUTHORITY_SANDBOX_PORTAL_URL: url,
    AUTHORITY_SANDBOX_CLIENT_ID: environment.AUTHORITY_SANDBOX_CLIENT_ID?.trim() || 'simulator',
    AUTHORITY_SANDBOX_CLIENT_SECRET: environment.AUTHORITY_SANDBOX_CLIENT_SECRET?.trim() || 'simulator',
    AUTHORITY_SANDBOX_RATE_FACTOR: environment.AUTHORITY_SANDBOX_RATE_FACTOR?.trim() || '0',
  };
}
