import type { EntityManager } from 'typeorm';
import { DashboardError } from '../errors/dashboard-errors.js';
import { SERVICE_NOW } from '../database/clock.js';
import { SignInThrottle } from '../entities/sign-in-throttle.entity.js';

/**
 * How many tries a subject has free, and how long the blocks after them are: doubling, up to a quarter of an hour. An
 * e-mail address and a network address are counted by their sign-ins that fail; a network address also by the
 * organisations that sign up from it, of which an office behind one address makes no fifty in a day.
 */
const FREE_TRIES = { email: 5, ip: 50, 'sign-up': 50 } as const;
const BLOCK_SECONDS = 30;
const BLOCK_SECONDS_MAX = 900;
/** Tries older than this are forgotten: they count no more, and housekeeping deletes them. */
export const SIGN_IN_MEMORY_SECONDS = 3_600;

/** Whose failures are counted. */
export interface SignInSubjects {
  readonly email: string;
  readonly ip: string;
}

// Counted before the password is looked at, so that guesses made at the same time cannot all pass. While blocked, a
// further try changes nothing: anyone who was locked out by somebody else is let in when the block ends.
const COUNT = /* sql */ `
INSERT INTO sign_in_throttle AS t (subject, tries, blocked_until, updated_at)
VALUES ($1, 1, service_now(), service_now())
ON CONFLICT (subject) DO UPDATE SET
  tries = CASE WHEN t.updated_at < service_now() - make_interval(secs => $3) THEN 1 ELSE t.tries + 1 END,
  blocked_until = CASE
    WHEN t.updated_at < service_now() - make_interval(secs => $3) OR t.tries + 1 < $2 THEN t.blocked_until
    ELSE service_now() + make_interval(secs => least($5, $4 * power(2, least(t.tries + 1 - $2, 10)))) END,
  updated_at = service_now()
WHERE t.blocked_until <= service_now()
RETURNING 1`;

/** Seconds until a try is allowed; 0 when this one is, and then it is counted as failed until it succeeds. */
export async function countSignIn(tx: EntityManager, { email, ip }: SignInSubjects): Promise<number> {
  return (await countAttempt(tx, 'ip', ip)) || (await countAttempt(tx, 'email', email));
}

/**
 * Seconds until another organisation may sign up from the network address; 0 when this one may, and then it is counted.
 */
export function countSignUp(tx: EntityManager, ip: string): Promise<number> {
  return countAttempt(tx, 'sign-up', ip);
}

async function countAttempt(tx: EntityManager, kind: keyof typeof FREE_TRIES, name: string): Promise<number> {
  const subject = `${kind} ${name}`;
  const parameters = [subject, FREE_TRIES[kind], SIGN_IN_MEMORY_SECONDS, BLOCK_SECONDS, BLOCK_SECONDS_MAX];
  const counted = await tx.query<unknown[]>(COUNT, parameters);
  return counted.length === 0 ? readSecondsLeft(tx, subject) : 0;
}

async function readSecondsLeft(tx: EntityManager, subject: string): Promise<number> {
  const [row] = await tx.query<{ seconds: number }[]>(
    `SELECT extract(epoch FROM blocked_until - service_now())::float8 AS seconds FROM sign_in_throttle WHERE subject = $1`,
    [subject],
  );
  return Math.max(1, Math.ceil(row?.seconds ?? 0));
}

/** What is answered while blocked. */
export function buildTooManyAttemptsError(what: string, seconds: number, hint = ''): DashboardError {
  return new DashboardError('too_many_attempts', {
    message: `${what}: try again in ${seconds} seconds${hint}`,
    headers: { 'Retry-After': String(seconds) },
  });
}

/**
 * The person has shown who they are: the e-mail address's failures are forgotten, and this try at the network address.
 */
export async function forgetFailures(tx: EntityManager, { email, ip }: SignInSubjects): Promise<void> {
  // In the order in which they are counted, so that nobody waits for the other.
  // A try that succeeded was none of those that are counted, nor was the block that it began when it was the last free
  // one.
  await tx.update(SignInThrottle, { subject: `ip ${ip}` }, { tries: () => 'tries - 1', blockedUntil: SERVICE_NOW });
  await forgetFailuresByEmail(tx, email);
}

/** The failures of an e-mail address are forgotten, without a separate try. */
export async function forgetFailuresByEmail(tx: EntityManager, email: string): Promise<void> {
  await tx.delete(SignInThrottle, { subject: `email ${email}` });
}
