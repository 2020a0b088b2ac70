import type { SettingsReader } from './settings-reader.js';

const AUTHORITY_URLS = ['API_URL', 'IDENTITY_URL', 'PORTAL_URL'];
// In `pg`, encrypts without verifying the certificate.
const UNVERIFIED = 'no-verify';

export interface UsedSettings {
  readonly authorityPrefixes: readonly string[];
  readonly databaseSettings: readonly string[];
}

/** Rejects settings for tests and the simulator, with the fix (docs/security.md#refused-in-production). */
export function refuseUnsafeSettings(
  settings: SettingsReader,
  { authorityPrefixes, databaseSettings }: UsedSettings,
): void {
  for (const name of authorityPrefixes.flatMap((prefix) => AUTHORITY_URLS.map((part) => `${prefix}_${part}`))) {
    if (!/^http:/i.test(read(settings, name))) continue;
    settings.problem(
      `${name} must start with https:// in production: over http:// logins and documents can be read and changed; the ` +
        'simulator is not for production',
    );
  }
  for (const name of authorityPrefixes.map((prefix) => `${prefix}_RATE_FACTOR`)) {
    if (settings.isSet(name) && Number(read(settings, name)) === 0) {
      settings.problem(`${name} must not be 0 in production: unset it, or give the share of the call limits to use`);
    }
  }
  if (read(settings, 'NODE_TLS_REJECT_UNAUTHORIZED') === '0') {
    settings.problem(
      'NODE_TLS_REJECT_UNAUTHORIZED must not be 0 in production, because any server could pose as the authority: unset it; ' +
        'NODE_EXTRA_CA_CERTS adds a certificate authority',
    );
  }
  for (const name of databaseSettings.filter((each) => isUnverified(read(settings, each)))) {
    settings.problem(
      `${name} must not turn off the verification of certificates in production: use sslmode=verify-full, with ` +
        'sslrootcert=FILE for a private certificate authority',
    );
  }
  if (read(settings, 'PGSSLMODE') === UNVERIFIED) {
    settings.problem('PGSSLMODE must not be no-verify in production: any server could pose as the database; unset it');
  }
}

function read(settings: SettingsReader, name: string): string {
  return settings.text(name, { default: '' });
}

function isUnverified(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { searchParams: parameters } = new URL(text);
  if (parameters.get('sslmode') === UNVERIFIED || parameters.get('ssl') === UNVERIFIED) return true;
  if (parameters.get('uselibpqcompat') !== 'true') return false;
  const mode = parameters.get('sslmode');
  return mode === 'prefer' || (mode === 'require' && !parameters.has('sslrootcert'));
}
