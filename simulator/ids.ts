import { randomBytes } from 'node:crypto';

// Captured ids have no I, L, O and U: Crockford's base 32.
const uidAlphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const uidLength = 26;
// Observed lengths vary between 40 and 46.
const longIdLength = 42;

export function newUid(): string {
  return randomText(uidLength);
}

export function newLongId(): string {
  return randomText(longIdLength);
}

const correlationPrefix = randomText(13);
let correlationCount = 0;

/** The observed form is `0HNDA9M25MBJ0:00000025`. */
export function newCorrelationId(): string {
  correlationCount += 1;
  return `${correlationPrefix}:${correlationCount.toString(16).toUpperCase().padStart(8, '0')}`;
}

function randomText(length: number): string {
  return Array.from(randomBytes(length), (byte) => uidAlphabet[byte % uidAlphabet.length]).join('');
}
