import { Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { forgetUuids } from '../queue/identity.sql.js';
import { type LockedDocument, lockFollowed, readFollowed } from './poll.sql.js';
import { splitOff } from '../queue/authority-submissions.sql.js';
import type { FollowedDocument, FollowedSubmission } from '../queue/followed-submission.js';

/** Delay before the next lookup of documents that an operator may decide. An outage may be over by then. */
const RETRY_SECONDS = 3_600;
const UNCONFIRMED = 'the authority does not show it under the ids of its response';
const UNREAD = 'a search shows it, and no poll has confirmed it';
const CONTRADICTED = 'it is Valid, and the authority shows another document or none under its uuid';

const logger = new Logger('OverdueDocuments');

export interface OverdueDocument {
  readonly member: FollowedDocument;
  readonly reason: string;
}

interface OverdueDocuments {
  readonly absent: readonly FollowedDocument[];
  /** Documents that the authority shows with an unreadable outcome. */
  readonly unreadable: readonly OverdueDocument[];
  readonly now: Date;
}

/**
 * Puts overdue documents in doubt, so that they are never sent again. An operator may decide an overdue document once
 * its lookups have ended, if it is unreadable or an earlier lookup showed it. Its lookups continue once per hour.
 */
export async function lookUpOverdue(
  tx: EntityManager,
  submission: FollowedSubmission,
  { absent, unreadable, now }: OverdueDocuments,
): Promise<void> {
  const overdue = [...absent.map((member) => ({ member, reason: UNCONFIRMED })), ...unreadable];
  const locked = await lockFollowed(
    tx,
    submission,
    overdue.map(({ member }) => member),
  );
  const retryAt = new Date(now.getTime() + RETRY_SECONDS * 1_000);
  for (const reason of new Set(overdue.map((each) => each.reason))) {
    const ids = new Set(overdue.filter((each) => each.reason === reason).map(({ member }) => member.transactionId));
    const documents = locked.filter(({ transactionId }) => ids.has(transactionId));
    const isAbsent = reason === UNCONFIRMED;
    const isDecidable = ({ isLookupTimeOver, isShown }: LockedDocument): boolean =>
      isLookupTimeOver && (isShown || !isAbsent);
    const decidable = { members: documents.filter(isDecidable), nextLookupAt: retryAt, isDecidable: true };
    const sought = { members: documents.filter((each) => isAbsent && !isDecidable(each)), nextLookupAt: now };
    for (const part of [decidable, sought].filter(({ members }) => members.length > 0)) {
      const { tenantId, submissionUid } = submission;
      const transactionIds = part.members.map(({ transactionId }) => transactionId);
      logger.error(`Submission ${submissionUid}: ${reason} (${transactionIds.join(', ')}): looked up`);
      await forgetUuids(tx, tenantId, transactionIds);
      await splitOff(tx, submission, { ...part, missingSince: 'never', failure: reason, now });
    }
  }
}

/** Keeps unconfirmed documents in doubt if their call is in doubt. */
export async function keepInDoubt(tx: EntityManager, submission: FollowedSubmission, now: Date): Promise<void> {
  if (!submission.isInDoubt) return;
  const unconfirmed = (await readFollowed(tx, submission)).filter((member) => !member.isUuidConfirmed);
  const unreadable = unconfirmed.map((member) => ({ member, reason: UNREAD }));
  await lookUpOverdue(tx, submission, { absent: [], unreadable, now });
}

const DOUBT_UUIDS = /* sql */ `
  UPDATE document_transaction t SET uuid_confirmed = false
   WHERE t.tenant_id = $1 AND t.id = ANY ($2::uuid[]) AND t.authority_status = 'Valid'
     AND t.authority_submission_id = $3
  RETURNING t.id AS "transactionId"`;

/** Puts valid documents with a contradicted uuid in doubt, because the uuid may belong to another organisation. */
export async function leaveToOperator(
  tx: EntityManager,
  submission: FollowedSubmission,
  { contradicted, now }: { contradicted: readonly FollowedDocument[]; now: Date },
): Promise<void> {
  if (contradicted.length === 0) return;
  const ids = contradicted.map(({ transactionId }) => transactionId);
  const [members] = await tx.query<[{ transactionId: string }[], number]>(DOUBT_UUIDS, [
    submission.tenantId,
    ids,
    submission.submissionId,
  ]);
  if (members.length === 0) return;
  await splitOff(tx, submission, { members, missingSince: 'never', failure: CONTRADICTED, now, nextLookupAt: null });
}
