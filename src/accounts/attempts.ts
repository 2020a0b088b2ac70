import type { DataSource, EntityManager } from 'typeorm';
import { type Actor, appendAudit, enterNoOrganisation, NO_ORGANISATION } from './audit.js';
import { runWithoutAccess } from '../database/access.js';
import { DashboardError } from '../errors/dashboard-errors.js';
import { SignInThrottle } from '../entities/sign-in-throttle.entity.js';

interface AttemptLimit {
  /** Attempts per subject and hour before the first block. */
  readonly free: number;
  /** Maximum duration of a block. Each block doubles the previous one. */
  readonly blockSecondsMax: number;
  /** Follows "Too many" in the error message. */
  readonly what: string;
  readonly hint?: string;
}

export const QUARTER_SECONDS = 900;

/**
 * Limits per subject. Sign-ins count only if they fail. Blocks of an account are short, so that strangers cannot lock
 * out its user (docs/decisions/0081-nobody-locks-another-out.md).
 */
const LIMITS = {
  'sign-in': { free: 5, blockSecondsMax: QUARTER_SECONDS, what: 'failed sign-ins to this account from your network' },
  network: { free: 50, blockSecondsMax: QUARTER_SECONDS, what: 'failed sign-ins from your network' },
  account: { free: 100, blockSecondsMax: 60, what: 'failed sign-ins to this account' },
  device: { free: 10, blockSecondsMax: QUARTER_SECONDS, what: 'failed sign-ins from this browser' },
  'sign-up': {
    free: 50,
    blockSecondsMax: QUARTER_SECONDS,
    what: 'sign-ups from your network',
    hint: ', or ask an owner of your organisation to invite you',
  },
  link: { free: 100, blockSecondsMax: QUARTER_SECONDS, what: 'links opened from your network' },
  password: { free: 10, blockSecondsMax: QUARTER_SECONDS, what: 'changes of your password' },
  rename: { free: 30, blockSecondsMax: QUARTER_SECONDS, what: 'changes of your name' },
  sessions: { free: 60, blockSecondsMax: QUARTER_SECONDS, what: 'ended sessions' },
  keys: { free: 100, blockSecondsMax: QUARTER_SECONDS, what: 'changes of API keys' },
  invitations: { free: 100, blockSecondsMax: QUARTER_SECONDS, what: 'changes of invitations' },
} as const satisfies Readonly<Record<string, AttemptLimit>>;

export type AttemptKind = keyof typeof LIMITS;

export interface Attempt {
  readonly kind: AttemptKind;
  readonly subject: string;
}

const POWER_OF_TEN = /^10*$/;
const BLOCK_SECONDS = 30;
export const ATTEMPT_MEMORY_SECONDS = 3_600;

class Blocked extends Error {
  constructor(readonly attempt: Attempt) {
    super('Blocked');
  }
}

/** Counts an attempt for all of its subjects, or for none if one is blocked. @throws DashboardError (429) */
export async function countAttempt(dataSource: DataSource, attempts: readonly Attempt[], actor: Actor): Promise<void> {
  const blocked = await findBlocked(dataSource, attempts);
  if (blocked === null) return;
  const seconds = await countRefusal(dataSource, blocked, actor);
  const { what, hint = '' }: AttemptLimit = LIMITS[blocked.kind];
  throw new DashboardError('too_many_attempts', {
    message: `Too many ${what}: try again in ${seconds} seconds${hint}`,
    headers: { 'Retry-After': String(seconds) },
  });
}

export async function findBlocked(dataSource: DataSource, attempts: readonly Attempt[]): Promise<Attempt | null> {
  try {
    await countApart(dataSource, async (tx) => {
      for (const attempt of attempts) if (!(await count(tx, attempt))) throw new Blocked(attempt);
    });
    return null;
  } catch (error) {
    if (error instanceof Blocked) return error.attempt;
    throw error;
  }
}

/** Counts without confirming the access, because a password change locks the user before the counters. */
function countApart<T>(dataSource: DataSource, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  return runWithoutAccess(() => dataSource.transaction(work));
}

async function count(tx: EntityManager, attempt: Attempt): Promise<boolean> {
  const { free, blockSecondsMax } = LIMITS[attempt.kind];
  const parameters = [toRow(attempt), free, ATTEMPT_MEMORY_SECONDS, BLOCK_SECONDS, blockSecondsMax];
  const [{ counted }] = await tx.query<{ counted: boolean }[]>(
    'SELECT count_attempt($1, $2, $3, $4, $5) AS counted',
    parameters,
  );
  return counted;
}

/** Records the first, tenth, hundredth refusal and so on of a subject, so that attacks do not flood the audit log. */
function countRefusal(dataSource: DataSource, { kind, subject }: Attempt, actor: Actor): Promise<number> {
  return countApart(dataSource, async (tx) => {
    const [row] = await tx.query<{ refused: number; seconds: number }[]>(
      'SELECT refused, seconds FROM refuse_attempt($1)',
      [toRow({ kind, subject })],
    );
    if (row === undefined) return 1;
    const { refused, seconds } = row;
    if (POWER_OF_TEN.test(String(refused))) {
      await enterNoOrganisation(tx);
      const details = { limit: LIMITS[kind].what, refusals: refused };
      await appendAudit(tx, actor, { tenantId: NO_ORGANISATION, action: 'attempts.refused', subject, details });
    }
    // A stored block may be too long after the clock was set back.
    return Math.min(Math.max(1, Math.ceil(seconds)), LIMITS[kind].blockSecondsMax);
  });
}

/** Clears or uncounts the attempts of a successful sign-in, in the lock order of `countAttempt`. */
export async function forgetAttempts(tx: EntityManager, attempts: readonly Attempt[]): Promise<void> {
  for (const attempt of attempts) {
    const subject = toRow(attempt);
    if (attempt.kind === 'sign-in' || attempt.kind === 'device') await tx.delete(SignInThrottle, { subject });
    else await tx.query('SELECT forgive_attempt($1)', [subject]);
  }
}

export async function forgetAccount(tx: EntityManager, email: string): Promise<void> {
  await tx.query(`DELETE FROM sign_in_throttle WHERE subject = $1 OR starts_with(subject, $2)`, [
    toRow({ kind: 'account', subject: email }),
    toRow({ kind: 'sign-in', subject: `${email} ` }),
  ]);
}

function toRow({ kind, subject }: Attempt): string {
  return `${kind} ${subject}`;
}
