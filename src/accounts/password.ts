import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { FairSemaphore, NoSlotError } from '../common/fair-semaphore.js';
import { DashboardError } from '../errors/dashboard-errors.js';

/** The minimum makes guessing infeasible; the maximum bounds the cost of hashing. */
export const PASSWORD_CHARACTERS_MIN = 12;
export const PASSWORD_CHARACTERS_MAX = 200;

// OWASP's parameters for argon2id: 19 MiB, two passes, one thread.
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// A hash takes 20 to 40 ms of a core and of one of Node's four threadpool threads.
const RUNNING_MAX = Math.max(1, Math.min(3, availableParallelism() - 1));
// Waiting takes at most about two seconds.
const SLOTS = new FairSemaphore({ capacity: RUNNING_MAX, share: RUNNING_MAX, queueMax: 60, queuesMax: 600 });

const COMMAND = 'command';

/** Hashes with Argon2id and a random salt. @throws DashboardError (429) if the queue is full */
export function hashPassword(password: string, subject = COMMAND): Promise<string> {
  return runInTurn(subject, () => hash(password, ARGON2ID));
}

let dummyHash: Promise<string> | undefined;

/**
 * Verifies a password. Without a hash, returns false after the same time, to not reveal accounts. @throws
 * DashboardError (429) if the queue is full
 */
export async function verifyPassword(
  passwordHash: string | undefined,
  password: string,
  subject = COMMAND,
): Promise<boolean> {
  if (passwordHash !== undefined) return runInTurn(subject, () => verify(passwordHash, password));
  dummyHash ??= hash('password of an unknown account', ARGON2ID);
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
