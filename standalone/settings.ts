import { readConfiguration } from '../src/config/configuration.js';
import { SettingsError } from '../src/config/settings-reader.js';
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

/**
 * In production, refuses what stands in for a part of it, together with every other problem of the settings
 * (docs/security.md#refused-in-production).
 * @throws SettingsError
 */
export function refuseStandInsInProduction(): void {
  if (!isProduction()) return;
  const problems: string[] = [];
  const needed = { ...environment };
  if (!isSet('DATABASE_URL')) {
    const missing = DATABASE_SETTINGS.filter((name) => !isSet(name));
    problems.push(`${missing.join(', ')} must be set in production: the embedded database is not for production`);
    for (const name of missing) needed[name] = 'postgres://named.above';
  }
  if (usesSimulator()) {
    problems.push(
      'AUTHORITY_SANDBOX_API_URL must be set in production, else a simulator takes the place of the sandbox; to serve ' +
        'production alone, use npm run start:api and npm run start:dispatcher',
    );
  }
  for (const role of ['api', 'dispatcher'] as const) {
    try {
      readConfiguration(role, needed);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new SettingsError([...new Set(problems)]);
}

/** @throws SettingsError in production, where a command would work on an embedded database that nobody serves */
export function refuseEmbeddedInProduction(): void {
  if (!isProduction()) return;
  throw new SettingsError([
    'DATABASE_OWNER_URL must be set in production: the embedded database is not for production',
  ]);
}

function isProduction(): boolean {
  return environment.NODE_ENV === 'production';
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
    // Invented as all else is there, so that an order of credits has a price.
    CREDIT_PACKS: environment.CREDIT_PACKS?.trim() || '100=50,1000=400',
  };
}
