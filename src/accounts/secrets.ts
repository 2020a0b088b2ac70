import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;

/** Creates a URL-safe secret of 256 random bits. */
export function createSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Hashes a secret for storage. A fast hash is safe because the secret has full entropy. */
export function digestSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Derives the CSRF token, which other sites cannot know. */
export function deriveCsrfToken(secretsKey: Buffer, sessionSecret: string): string {
  return createHmac('sha256', secretsKey).update(`csrf ${sessionSecret}`).digest('base64url');
}

export function areEqual(one: string, other: string): boolean {
  return timingSafeEqual(digestSecret(one), digestSecret(other));
}
