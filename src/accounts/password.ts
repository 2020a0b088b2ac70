import { hash, verify } from '@node-rs/argon2';

/** Long enough that guessing is hopeless; the upper bound keeps hashing from being made a burden. */
export const PASSWORD_CHARACTERS_MIN = 12;
export const PASSWORD_CHARACTERS_MAX = 200;

// OWASP's figures for argon2id, which is the library's algorithm unless another is named: 19 MiB, two passes, one
// thread.
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Argon2id with its own salt, in the encoded form that names its parameters. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, ARGON2ID);
}

let dummyHash: Promise<string> | undefined;

/**
 * Whether the password belongs to the hash. Without a hash it is never so, and takes as long: the time of an answer
 * must not tell whether there is such an account.
 */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  if (passwordHash !== undefined) return verify(passwordHash, password);
  dummyHash ??= hashPassword('nobody signs in with this');
  await verify(await dummyHash, password);
  return false;
}
