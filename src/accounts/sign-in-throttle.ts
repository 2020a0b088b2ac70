import type { EntityManager } from 'typeorm';

/** How many failures a subject has free, and how long the blocks after them are: doubling, up to a quarter of an hour. */
const FREE_FAILURES = { email: 5, ip: 50 } as const;
const BLOCK_SECONDS = 30;
const BLOCK_SECONDS_MAX = 900;
/** Failures older than this are forgotten: they count no more, and housekeeping deletes them. */
export const SIGN_IN_MEMORY_SECONDS = 3_600;

/** Whose failures are counted. */
export interface SignInSubjects {
  readonly email: string;
  readonly ip: string;
}

// Counted before the password is looked at, so that guesses made at once cannot all pass. While blocked, a further try
// changes nothing: whoever was locked out by somebody else is let in when the block ends.
const COUNT = /* sql */ `
INSERT INTO sign_in_throttle AS t (subject, failures, blocked_until, updated_at)
VALUES ($1, 1, service_now(), service_now())
ON CONFLICT (subject) DO UPDATE SET
  failures = CASE WHEN t.updated_at < service_now() - make_interval(secs => $3) THEN 1 ELSE t.failures + 1 END,
  blocked_until = CASE
    WHEN t.updated_at < service_now() - make_interval(secs => $3) OR t.failures + 1 < $2 THEN t.blocked_until
    ELSE service_now() + make_interval(secs => least($5, $4 * power(2, least(t.failures + 1 - $2, 10)))) END,
  updated_at = service_now()
WHERE t.blocked_until <= service_now()
RETURNING 1`;

/** Seconds until a try is allowed; 0 when this one is, and then it is counted as failed until it succeeds. */
export async function countSignIn(tx: EntityManager, subjects: SignInSubjects): Promise<number> {
  for (const kind of ['ip', 'email'] as const) {
    const subject = `${kind} ${subjects[kind]}`;
    const parameters = [subject, FREE_FAILURES[kind], SIGN_IN_MEMORY_SECONDS, BLOCK_SECONDS, BLOCK_SECONDS_MAX];
    const counted = await tx.query<unknown[]>(COUNT, parameters);
    if (counted.length === 0) return secondsLeft(tx, subject);
  }
  return 0;
}

async function secondsLeft(tx: EntityManager, subject: string): Promise<number> {
  const [row] = await tx.query<{ seconds: number }[]>(
    `SELECT extract(epoch FROM blocked_until - service_now())::float8 AS seconds FROM sign_in_throttle WHERE subject = $1`,
    [subject],
  );
  return Math.max(1, Math.ceil(row?.seconds ?? 0));
}

/** The person has shown who they are: their failures are forgotten. Those of the network address stay. */
export async function forgetFailures(tx: EntityManager, email: string): Promise<void> {
  await tx.query(`DELETE FROM sign_in_throttle WHERE subject = $1`, [`email ${email}`]);
}
