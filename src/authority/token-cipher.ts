import { parseJsonText } from '../common/parse-json-text.js';
import type { AuthorityToken } from '../entities/authority-token.entity.js';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type IssuedToken, readToken } from './wire.js';

/** Whose login a token is; it is bound to its ciphertext, so that a row cannot speak for another tenant. */
export type TokenKey = Pick<AuthorityToken, 'tenantId' | 'environment' | 'clientId' | 'onBehalfOf'>;

const ALGORITHM = 'aes-256-gcm';
// 96 bits is the size that GCM is made for. Random ones may repeat after 2^32 tokens of one key; a tenant takes 24 a
// day.
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** IV, tag and ciphertext in one. */
export function sealToken(secretsKey: Buffer, key: TokenKey, token: IssuedToken): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, secretsKey, iv, { authTagLength: TAG_BYTES }).setAAD(boundTo(key));
  const plain = JSON.stringify({ access_token: token.accessToken, expires_in: token.lifetimeSeconds });
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** Null when it was changed, belongs to another key, or was sealed with another secret: then one logs in again. */
export function openToken(secretsKey: Buffer, key: TokenKey, sealed: Buffer): IssuedToken | null {
  if (sealed.length <= IV_BYTES + TAG_BYTES) return null;
  try {
    const decipher = createDecipheriv(ALGORITHM, secretsKey, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(boundTo(key))
      .setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const plain = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    return readToken(parseJsonText(plain.toString('utf8')));
  } catch {
    return null;
  }
}

// A JSON array and not joined text: no value can be read as the end of one and the beginning of the next.
function boundTo({ tenantId, environment, clientId, onBehalfOf }: TokenKey): Buffer {
  return Buffer.from(JSON.stringify([tenantId, environment, clientId, onBehalfOf, 'token']), 'utf8');
}
