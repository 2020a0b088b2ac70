import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { parseJsonText } from '../common/parse-json-text.js';
import type { AuthorityToken } from '../entities/authority-token.entity.js';
import { type IssuedToken, readToken } from './wire.js';

/**
 * Owner of a token. It is authenticated with the ciphertext, so a row copied to another tenant cannot be decrypted.
 */
export type TokenKey = Pick<AuthorityToken, 'tenantId' | 'environment' | 'clientId' | 'onBehalfOf'>;

const ALGORITHM = 'aes-256-gcm';
// Random nonces of this size are safe for 2^32 tokens per key.
const IV_BYTES = 12;
const TAG_BYTES = 16;

export function sealToken(secretsKey: Buffer, key: TokenKey, token: IssuedToken): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, secretsKey, iv, { authTagLength: TAG_BYTES }).setAAD(
    buildAssociatedData(key),
  );
  const plain = JSON.stringify({ access_token: token.accessToken, expires_in: token.lifetimeSeconds });
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** Returns null if the token was altered, belongs to another owner, or was sealed with another secret. */
export function openToken(secretsKey: Buffer, key: TokenKey, sealed: Buffer): IssuedToken | null {
  if (sealed.length <= IV_BYTES + TAG_BYTES) return null;
  try {
    const decipher = createDecipheriv(ALGORITHM, secretsKey, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(buildAssociatedData(key))
      .setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const plain = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    return readToken(parseJsonText(plain.toString('utf8')));
  } catch {
    return null;
  }
}

// Encodes the values unambiguously, which concatenation would not do.
function buildAssociatedData({ tenantId, environment, clientId, onBehalfOf }: TokenKey): Buffer {
  return Buffer.from(JSON.stringify([tenantId, environment, clientId, onBehalfOf, 'token']), 'utf8');
}
