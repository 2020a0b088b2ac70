import { createHmac, hkdfSync } from 'node:crypto';
import type { Configuration } from './configuration.js';
import { ENVIRONMENTS } from './environment.js';

/** Fingerprints by setting name. The value is null for a setting that the process reads but that is not set. */
export type SettingFingerprints = Readonly<Record<string, string | null>>;

const KEY_BYTES = 32;
const FINGERPRINT_CHARACTERS = 16;
const SECRETS_KEY = 'SECRETS_KEY';

/**
 * Fingerprints the settings that must be equal in all processes. The hash is keyed with a key derived from
 * `SECRETS_KEY`, so that a fingerprint does not confirm a guess of a short value. With `DISPATCH_QUEUED=off`, client
 * id, secret and signing certificate may be old and are omitted. Returns an empty object without `SECRETS_KEY`.
 */
export function fingerprintSettings({
  role,
  authorities,
  secretsKey,
  sendsQueued,
}: Configuration): SettingFingerprints {
  if (secretsKey.length === 0) return {};
  const key = Buffer.from(hkdfSync('sha256', secretsKey, '', 'einvoice setting fingerprints', KEY_BYTES));
  const values: Record<string, string | null> = { [SECRETS_KEY]: '' };
  for (const environment of ENVIRONMENTS) {
    const settings = authorities[environment];
    if (settings === undefined) continue;
    const prefix = `AUTHORITY_${environment.toUpperCase()}`;
    values[`${prefix}_API_URL`] = settings.apiUrl;
    values[`${prefix}_IDENTITY_URL`] = settings.identityUrl;
    // An API sends no documents, so it ignores `DISPATCH_QUEUED`.
    if (role !== 'api' && !sendsQueued) continue;
    values[`${prefix}_CLIENT_ID`] = settings.clientId;
    values[`${prefix}_CLIENT_SECRET`] = settings.clientSecret;
    if (role === 'dispatcher') values[`${prefix}_SIGNING_CERT`] = settings.signer?.certificate.sha256Base64 ?? null;
  }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value === null ? null : fingerprint(key, name, value)]),
  );
}

function fingerprint(key: Buffer, name: string, value: string): string {
  const hmac = createHmac('sha256', key).update(JSON.stringify([name, value]));
  return hmac.digest('hex').slice(0, FINGERPRINT_CHARACTERS);
}

/** Returns the settings that differ. If `SECRETS_KEY` differs, the others cannot be compared. */
export function findDifferentSettings(one: SettingFingerprints, other: SettingFingerprints): string[] {
  const differs = (name: string): boolean => name in other && one[name] !== other[name];
  if (differs(SECRETS_KEY)) return [SECRETS_KEY];
  return Object.keys(one).filter(differs);
}
