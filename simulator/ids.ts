import { randomBytes } from 'node:crypto';

// Captured ids use Crockford's base 32, which omits I, L, O and U.
const uidAlphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const uidLength = 26;
// Observed lengths vary between 40 and 46.
const longIdLength = 42;

// Random bytes are pooled because a call of randomBytes costs as much as several ids.
const poolBytes = 4096;
let pool = Buffer.alloc(0);

export function newUid(): string {
  return randomText(uidLength);
}

export function newLongId(): string {
  return randomText(longIdLength);
}

const correlationPrefix = randomText(13);
let correlationCount = 0;

/** Imitates captured ids such as `0HNDA9M25MBJ0:00000025`. */
export function newCorrelationId(): string {
  correlationCount += 1;
  return `${correlationPrefix}:${correlationCount.toString(16).toUpperCase().padStart(8, '0')}`;
}

function randomText(length: number): string {
  let text = '';
  for (const byte of takeRandom(length)) text += uidAlphabet.charAt(byte % uidAlphabet.length);
  return text;
}

function takeRandom(length: number): Buffer {
  if (pool.length < length) pool = randomBytes(poolBytes);
  const taken = pool.subarray(0, length);
  pool = pool.subarray(length);
  return taken;
}
