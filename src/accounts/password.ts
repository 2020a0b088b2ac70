import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { FairSemaphore, NoSlotError } from '../common/fair-semaphore.js';
import { DashboardError } from '../errors/dashboard-errors.js';

/** Long enough that guessing is hopeless; the upper bound keeps hashing from being made a burden. */
export const PASSWORD_CHARACTERS_MIN = 12;
export const PASSWORD_CHARACTERS_MAX = 200;

// OWASP's figures for argon2id, which is the library's algorithm unless another is named: 19 MiB, two passes, one
// thread.
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// A hash takes a core for 20 to 40 ms, in one of Node's four threads for files and names. One core stays free for
// requests, and one thread for what else needs them.
const RUNNING_MAX = Math.max(1, Math.min(3, availableParallelism() - 1));
// A subject's last one waits about two seconds.
const SLOTS = new FairSemaphore({ capacity: RUNNING_MAX, share: RUNNING_MAX, queueMax: 60, queuesMax: 600 });

/** Whose turn it is when passwords wait: a network, or an account that is signed in. Commands are alone. */
const COMMAND = 'command';

/**
 * Argon2id with its own salt, in the encoded form that names its parameters.
 * @throws DashboardError (429) when too many wait
 */
export function hashPassword(password: string, subject = COMMAND): Promise<string> {
  return runInTurn(subject, () => hash(password, ARGON2ID));
}

let dummyHash: Promise<string> | undefined;

/**
 * Whether the password belongs to the hash. Without a hash it is never so, and takes as long: the time of a response
 * must not tell whether there is such an account.
 * @throws DashboardError (429) when too many wait
 */
export async function verifyPassword(
  passwordHash: string | undefined,
  password: string,
  subject = COMMAND,
): Promise<boolean> {
  if (passwordHash !== undefined) return runInTurn(subject, () => verify(passwordHash, password));
  dummyHash ??= hash('nobody signs in with this', ARGON2ID);
  const dummy = await dummyHash;
  await runInTurn(subject, () => verify(dummy, password));
  return false;
}

async function runInTurn<T>(subject: string, work: () => Promise<T>): Promise<T> {
  try {
    return await SLOTS.run(subject, work);
  } catch (error) {
    if (!(error instanceof NoSlotError)) throw error;
    const message = 'Too many passwords are checked at the moment: try again in 2 seconds';
    throw new DashboardError('too_many_attempts', { message, headers: { 'Retry-After': '2' } });
  }
}
