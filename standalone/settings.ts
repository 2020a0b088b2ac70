import { readConfiguration } from '../src/config/configuration.js';
import { SettingsError } from '../src/config/settings-reader.js';
import type { DataFolder } from './data-folder.js';
import type { EmbeddedDatabase } from './embedded-database.js';

export const environment: NodeJS.ProcessEnv = process.env;

const DATABASE_SETTINGS = ['DATABASE_URL', 'DATABASE_DISPATCHER_URL', 'DATABASE_OWNER_URL'] as const;

export function isSet(name: string): boolean {
  return Boolean(environment[name]?.trim());
}

/**
 * Returns whether the service uses the embedded database, because DATABASE_URL is not
 * set (docs/rules.md#commands-and-settings).
 * @throws Error if only the addresses of other roles are set
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
 * Returns whether the simulator replaces the authority's sandbox, because AUTHORITY_SANDBOX_API_URL is not
 * set (docs/rules.md#commands-and-settings).
 */
export function usesSimulator(): boolean {
  return !isSet('AUTHORITY_SANDBOX_API_URL');
}

/**
 * Rejects the embedded database and the simulator in production, and reports them with all other problems of the
 * settings (docs/security.md#refused-in-production).
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

/** @throws SettingsError in production, because a command would use an embedded database that no service uses */
export function refuseEmbeddedInProduction(): void {
  if (!isProduction()) return;
  throw new SettingsError([
    'DATABASE_OWNER_URL must be set in production: the embedded database is not for production',
  ]);
}

function isProduction(): boolean {
  return environment.NODE_ENV === 'production';
}

/** Returns the environments that send documents to the real authority and therefore need the real time. */
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
 * Returns settings for the simulator, which accepts any credentials and has no call limits. Explicit settings
 * take precedence.
 */
export function simulatorSettings(url: string): NodeJS.ProcessEnv {
  return {
    AUTHORITY_SANDBOX_API_URL: url,
    AUTHORITY_SANDBOX_IDENTITY_URL: url,
    AUTHORITY_SANDBOX_PORTAL_URL: url,
    AUTHORITY_SANDBOX_CLIENT_ID: environment.AUTHORITY_SANDBOX_CLIENT_ID?.trim() || 'simulator',
    AUTHORITY_SANDBOX_CLIENT_SECRET: environment.AUTHORITY_SANDBOX_CLIENT_SECRET?.trim() || 'simulator',
    AUTHORITY_SANDBOX_RATE_FACTOR: environment.AUTHORITY_SANDBOX_RATE_FACTOR?.trim() || '0',
    // Fictitious prices, so that credits can be ordered in the demo.
    CREDIT_PACKS: environment.CREDIT_PACKS?.trim() || '100=50,1000=400',
  };
}
