import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Environment } from '../../config/environment.js';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 30;
const CHECKSUM_CHARACTERS = 6;

const PREFIX_BY_ENVIRONMENT: Record<Environment, string> = { sandbox: 'eisk_test_', production: 'eisk_live_' };
const KEY_SHAPE = /^eisk_(?:test|live)_[0-9A-Za-z]{36}$/;

const KEY_WITHIN = /eisk_(?:test|live)_[0-9A-Za-z]{36}/;

/** Creates a key (docs/rules.md#api-keys): prefix, 30 random base62 characters (178 bits) and a CRC32. */
export function createApiKeyText(environment: Environment): string {
  let text = PREFIX_BY_ENVIRONMENT[environment];
  for (let index = 0; index < RANDOM_CHARACTERS; index += 1) text += BASE62[randomInt(BASE62.length)];
  return text + computeChecksum(text);
}

export function isApiKeyText(text: string): boolean {
  return KEY_SHAPE.test(text) && text.endsWith(computeChecksum(text.slice(0, -CHECKSUM_CHARACTERS)));
}

/** Returns whether the text contains a key together with other characters, such as quotation marks. */
export function hasMoreThanKey(text: string): boolean {
  return KEY_WITHIN.test(text) && !KEY_SHAPE.test(text);
}

// A fast hash is safe because keys have full entropy.
export function digestApiKey(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export function describeApiKeyText(text: string): { prefix: string; lastFour: string } {
  return { prefix: text.slice(0, text.lastIndexOf('_') + 1), lastFour: text.slice(-4) };
}

function computeChecksum(text: string): string {
  let value = crc32(text);
  let checksum = '';
  for (let index = 0; index < CHECKSUM_CHARACTERS; index += 1) {
    checksum = BASE62[value % BASE62.length] + checksum;
    value = Math.floor(value / BASE62.length);
  }
  return checksum;
}
