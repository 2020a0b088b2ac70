import { createHmac, hkdfSync } from 'node:crypto';
import type { Configuration } from './configuration.js';
import { ENVIRONMENTS } from './environment.js';

/** By the name of a setting; null: the process reads the setting, which is not set. */
export type SettingFingerprints = Readonly<Record<string, string | null>>;

const KEY_BYTES = 32;
const FINGERPRINT_CHARACTERS = 16;
const SECRETS_KEY = 'SECRETS_KEY';

/**
 * Fingerprints of the settings that must be the same for all processes, to compare them. A key that is derived from
 * `SECRETS_KEY` keys the hash: without it, a fingerprint does not even confirm a guess of a short value. So processes
 * with different keys differ in every fingerprint. The fingerprint of `SECRETS_KEY` confirms guesses of that key, as
 * every stored token does that it encrypts; production refuses a key that can be guessed.
 * With `DISPATCH_QUEUED=off`, the client id, its secret and the signing certificate may be former ones and are left out.
 * @returns nothing if the process has no `SECRETS_KEY`
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
    // An API sends nothing: the setting means nothing to it.
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

/** The settings in which two processes differ. With different secrets keys that is the only one that can be told. */
export function findDifferentSettings(one: SettingFingerprints, other: SettingFingerprints): string[] {
  const differs = (name: string): boolean => name in other && one[name] !== other[name];
  if (differs(SECRETS_KEY)) return [SECRETS_KEY];
  return Object.keys(one).filter(differs);
}
