import type { EntityManager } from 'typeorm';
import { readClockDriftSince } from '../../authority/authority-clock.js';
import type { DocumentSummary } from '../../authority/wire.js';
import { OperatorError } from '../../errors/operator-error.js';
import { hasNoLookups, hasPassed, isOverdue, LOOKUP_MINUTES_MAX } from '../queue/lookup-times.js';
import type { ReleasableMember, ReleasableSubmission } from './release.sql.js';

const NOT_UNKNOWN_REASONS: Readonly<Record<string, string>> = {
  sending: 'it is being sent now',
  accepted: 'the authority has accepted it',
  settled: 'the authority has accepted or refused all of its documents',
  failed: 'it was not accepted, or an operator has decided it already',
};

export function assertDecidable(
  submissionId: string,
  submission: ReleasableSubmission | null,
): asserts submission is ReleasableSubmission {
  if (submission === null) {
    throw new OperatorError(`There is no submission ${submissionId}. "queue show" lists the calls in doubt`);
  }
  if (submission.state === 'unknown' || (submission.state === 'accepted' && submission.isAbandoned)) return;
  const why = NOT_UNKNOWN_REASONS[submission.state] ?? submission.state;
  throw new OperatorError(`Submission ${submissionId} is not in doubt: ${why}. No data was changed`);
}

export function assertNotAccepted({ submissionId, state }: ReleasableSubmission): void {
  if (state !== 'accepted') return;
  throw new OperatorError(
    `The authority has accepted submission ${submissionId}: state what its portal shows with --outcome, or use --adopt. ` +
      `No data was changed`,
  );
}

export function assertNotValid({ members }: ReleasableSubmission): void {
  const valid = members.find(({ isValid }) => isValid);
  if (valid === undefined) return;
  throw new OperatorError(
    `${valid.referenceId} is Valid, and a valid document never fails. Adopt it under the uuid that the portal shows. ` +
      `No data was changed`,
  );
}

/** Rejects an adoption that contradicts the current state of the document. */
export function assertAdoptable(
  current: ReleasableMember | undefined,
  { authorityUuid, status }: DocumentSummary,
): asserts current is ReleasableMember {
  if (current === undefined) throw new OperatorError('Its documents have changed in the meantime. Try again');
  if (!current.isValid) return;
  if (status === 'Invalid') {
    throw new OperatorError(
      `${current.referenceId} is Valid, and the authority shows ${authorityUuid} as invalid. Search the portal for the valid ` +
        `document of this number. No data was changed`,
    );
  }
  if (current.isUuidConfirmed && current.authorityUuid !== authorityUuid) {
    throw new OperatorError(`${current.referenceId} is Valid under the uuid ${current.authorityUuid}`);
  }
}

export function assertNoneJudged({ members }: ReleasableSubmission): void {
  const judged = members.find(({ hasAuthorityStatus }) => hasAuthorityStatus);
  if (judged === undefined) return;
  throw new OperatorError(
    `The authority has accepted ${judged.referenceId}, so it cannot be sent again. Adopt the document that the authority has, ` +
      `or fail it`,
  );
}

export function assertMissed({ submissionId, failure, mayHaveArrived }: ReleasableSubmission): void {
  if (!mayHaveArrived) return;
  throw new OperatorError(
    `The authority may have documents of submission ${submissionId}, so they are not sent again (${failure ?? 'unclear'}). ` +
      `Use --adopt for documents that its portal shows. Use --fail if it shows none. No data was changed`,
  );
}

/**
 * Rejects a decision while lookups may still find the documents. Counts only time that an authority call has confirmed,
 * because the database's clock may have jumped.
 */
export async function assertLookupsOver(tx: EntityManager, submission: ReleasableSubmission, now: Date): Promise<void> {
  const { submissionId, environment, dueAt, doubtfulSince } = submission;
  if (dueAt === null) return;
  const { driftSeconds, measuredAt } = await readClockDriftSince(tx, environment, doubtfulSince);
  const isOver = (at: Date): boolean => hasPassed(doubtfulSince, LOOKUP_MINUTES_MAX, { now: at, driftSeconds });
  if (measuredAt !== null && isOver(measuredAt)) return;
  if (isOverdue(dueAt, { now, driftSeconds })) throw buildUnattendedError(submissionId, dueAt, doubtfulSince);
  if (isOver(now)) {
    throw new OperatorError(
      `No call to the authority has confirmed yet that ${LOOKUP_MINUTES_MAX} minutes have passed since the last send of ` +
        `submission ${submissionId} at ${doubtfulSince.toISOString()}. Try again after the next successful call. ` +
        `No data was changed`,
    );
  }
  throw new OperatorError(
    `Submission ${submissionId} is still looked up by the service, next at ${dueAt.toISOString()}. Wait until ` +
      `"queue show" lists the decision. No data was changed`,
  );
}

/** Rejects a decision if a dispatcher may handle the call. Counts only confirmed time. */
export async function assertUnattended(
  tx: EntityManager,
  { submissionId, environment, dueAt, sentAt }: ReleasableSubmission,
): Promise<void> {
  if (dueAt === null) return;
  const { driftSeconds, measuredAt } = await readClockDriftSince(tx, environment, sentAt);
  if (measuredAt !== null && hasNoLookups({ dueAt, sentAt }, { now: measuredAt, driftSeconds })) return;
  throw buildUnattendedError(submissionId, dueAt, sentAt);
}

function buildUnattendedError(submissionId: string, dueAt: Date, since: Date): OperatorError {
  return new OperatorError(
    `No dispatcher has looked up submission ${submissionId} since ${dueAt.toISOString()}. Start one with its client ` +
      `id, which "queue show" lists, or try again after another dispatcher has called the authority two hours or more ` +
      `after the send at ${since.toISOString()}. No data was changed`,
  );
}
