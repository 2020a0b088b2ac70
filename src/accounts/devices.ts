import { createHmac } from 'node:crypto';
import { areEqual, createSecret } from './secrets.js';

export const DEVICE_SECONDS = 180 * 24 * 3_600;
export const DEVICE_TOKENS_MAX = 4;

const TOKEN = /^([\w-]{43})\.(\d{1,12})\.([\w-]{43})$/;

/**
 * Creates the token of a device cookie (OWASP), which proves an earlier sign-in. It grants no access, but exempts the
 * browser from blocks caused by others.
 */
export function createDeviceToken(key: Buffer, email: string): string {
  const [id, expires] = [createSecret(), Math.floor(Date.now() / 1_000) + DEVICE_SECONDS];
  return `${id}.${expires}.${sign(key, email, `${id}.${expires}`)}`;
}

export function findDevice(key: Buffer, email: string, tokens: readonly string[]): string | null {
  for (const token of tokens.slice(0, DEVICE_TOKENS_MAX)) {
    const [, id, expires, signature] = TOKEN.exec(token) ?? [];
    if (id === undefined || expires === undefined || signature === undefined) continue;
    const isValid = areEqual(signature, sign(key, email, `${id}.${expires}`));
    if (isValid && Number(expires) * 1_000 > Date.now()) return id;
  }
  return null;
}

export function renewDeviceTokens(key: Buffer, email: string, tokens: readonly string[]): string[] {
  const ofOthers = tokens.filter((token) => TOKEN.test(token) && findDevice(key, email, [token]) === null);
  return [createDeviceToken(key, email), ...ofOthers].slice(0, DEVICE_TOKENS_MAX);
}

function sign(key: Buffer, email: string, text: string): string {
  return createHmac('sha256', key).update(`device ${text} ${email}`).digest('base64url');
}
