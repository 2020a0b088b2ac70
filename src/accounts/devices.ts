import { createHmac } from 'node:crypto';
import { areEqual, createSecret } from './secrets.js';

/** A browser is known for half a year after its last sign-in. */
export const DEVICE_SECONDS = 180 * 24 * 3_600;
/** A shared browser knows the last few accounts that signed in with it. */
export const DEVICE_TOKENS_MAX = 4;

const TOKEN = /^([\w-]{43})\.(\d{1,12})\.([\w-]{43})$/;

/**
 * Creates a device cookie as described by OWASP. Its token states that a user has signed in to the account with this
 * browser. It grants no access; sign-ins with it are not blocked by failed attempts of others. The token is signed, so
 * that nothing is stored.
 */
export function createDeviceToken(key: Buffer, email: string): string {
  const [id, expires] = [createSecret(), Math.floor(Date.now() / 1_000) + DEVICE_SECONDS];
  return `${id}.${expires}.${sign(key, email, `${id}.${expires}`)}`;
}

/** The id of the browser among these tokens that has signed in to the account; null when none has. */
export function findDevice(key: Buffer, email: string, tokens: readonly string[]): string | null {
  for (const token of tokens.slice(0, DEVICE_TOKENS_MAX)) {
    const [, id, expires, signature] = TOKEN.exec(token) ?? [];
    if (id === undefined || expires === undefined || signature === undefined) continue;
    const isValid = areEqual(signature, sign(key, email, `${id}.${expires}`));
    if (isValid && Number(expires) * 1_000 > Date.now()) return id;
  }
  return null;
}

/** The tokens of a browser that has just signed in to the account: the newest first, its earlier one replaced. */
export function renewDeviceTokens(key: Buffer, email: string, tokens: readonly string[]): string[] {
  const ofOthers = tokens.filter((token) => TOKEN.test(token) && findDevice(key, email, [token]) === null);
  return [createDeviceToken(key, email), ...ofOthers].slice(0, DEVICE_TOKENS_MAX);
}

function sign(key: Buffer, email: string, text: string): string {
  return createHmac('sha256', key).update(`device ${text} ${email}`).digest('base64url');
}
