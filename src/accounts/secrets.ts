import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;

/** A new secret for a cookie or a link: 256 random bits, as text that needs no encoding in an address. */
export function createSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** What is kept of a secret. Full entropy makes a fast hash the right one. */
export function digestSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** What a page must send with every change, and a foreign page cannot know: made from the session's secret. */
export function deriveCsrfToken(secretsKey: Buffer, sessionSecret: string): string {
  return createHmac('sha256', secretsKey).update(`csrf ${sessionSecret}`).digest('base64url');
}

/** Whether two texts are equal, in a time that does not tell where they differ. */
export function areEqual(one: string, other: string): boolean {
  return timingSafeEqual(digestSecret(one), digestSecret(other));
}
