import type { EntityManager } from 'typeorm';
import { readClockDriftSince } from '../../authority/authority-clock.js';
import { OperatorError } from '../../errors/operator-error.js';
import { hasNoLookups, isOverdue } from './reconcile-plan.js';
import type { ReleasableSubmission } from './release.sql.js';

const NOT_UNKNOWN_REASONS: Readonly<Record<string, string>> = {
  sending: 'it is being sent at this moment',
  accepted: 'the authority has accepted it',
  settled: 'the authority has accepted or refused all of its documents',
  failed: 'it was not taken, or a person has decided it already',
};

export function assertDecidable(
  submissionId: string,
  submission: ReleasableSubmission | null,
): asserts submission is ReleasableSubmission {
  if (submission === null) {
    throw new OperatorError(`There is no submission ${submissionId}: "queue show" lists those in doubt`);
  }
  if (submission.state === 'unknown' || (submission.state === 'accepted' && submission.isAbandoned)) return;
  const why = NOT_UNKNOWN_REASONS[submission.state] ?? submission.state;
  throw new OperatorError(`Submission ${submissionId} is not in doubt: ${why}. Nothing was changed`);
}

/** Refuses decisions that assume that the authority has no documents of a call. */
export function assertNotAccepted({ submissionId, state }: ReleasableSubmission): void {
  if (state !== 'accepted') return;
  throw new OperatorError(
    `The authority has accepted submission ${submissionId}: state what its portal shows with --outcome, or use --adopt. ` +
      `Nothing was changed`,
  );
}

/**
 * Refuses a decision while the service makes lookups, because the authority's search shows a document minutes after its
 * acceptance. If no dispatcher makes them, an operator decides once they would have ended. Only time that a call to the
 * authority has confirmed counts: a clock that has just jumped makes every lookup look overdue.
 */
export async function assertNotLookedUp(
  tx: EntityManager,
  { submissionId, environment, nextLookAt, sentAt }: ReleasableSubmission,
  now: Date,
): Promise<void> {
  if (nextLookAt === null) return;
  const { driftSeconds, measuredAt } = await readClockDriftSince(tx, environment, sentAt);
  if (measuredAt !== null && hasNoLookups({ nextLookAt, sentAt }, { now: measuredAt, driftSeconds })) return;
  if (isOverdue(nextLookAt, { now, driftSeconds })) {
    throw new OperatorError(
      `No dispatcher has looked up submission ${submissionId} since ${nextLookAt.toISOString()}. Start one with its client ` +
        `id ("queue show" names it), or try again after another dispatcher has called the authority two hours or more ` +
        `after the send at ${sentAt.toISOString()}. Nothing was changed`,
    );
  }
  throw new OperatorError(
    `Submission ${submissionId} is still looked up by the service itself, next at ${nextLookAt.toISOString()}: wait until ` +
      `"queue show" names no next lookup. Nothing was changed`,
  );
}
