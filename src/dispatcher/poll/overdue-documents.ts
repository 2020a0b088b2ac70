import { Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { forgetUuids } from '../queue/identity.sql.js';
import { type LockedDocument, lockFollowed, readFollowed } from './poll.sql.js';
import { splitOff } from '../queue/authority-submissions.sql.js';
import type { FollowedDocument, FollowedSubmission } from '../queue/followed-submission.js';

/** Pause until documents that an operator may decide are looked up again: an outage may be over. */
const RETRY_SECONDS = 3_600;
// Reasons that "queue show" lists.
const UNCONFIRMED = 'the authority does not show it under the ids of its response';
const UNREAD = 'a search shows it, and no poll has confirmed it';
const CONTRADICTED = 'it is Valid, and the authority shows another document or none under its uuid';

const logger = new Logger('OverdueDocuments');

/** A document without an outcome, and the reason that "queue show" lists. */
export interface OverdueDocument {
  readonly member: FollowedDocument;
  readonly reason: string;
}

interface OverdueDocuments {
  /** The authority does not show them. They are searched for. */
  readonly absent: readonly FollowedDocument[];
  /** The authority shows them without a readable outcome. */
  readonly unreadable: readonly OverdueDocument[];
  readonly now: Date;
}

/**
 * Moves overdue documents to calls in doubt, which are never sent again. A search finds absent documents. Once lookups
 * have ended, an operator may decide the outcome of a document that is unreadable or that an earlier lookup has shown.
 * Lookups of it continue once per hour, so that no operator is needed after an outage.
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

/** If the call is in doubt, keeps its documents that no poll has confirmed in doubt. */
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

/**
 * Moves valid documents whose uuid the authority contradicts to a call in doubt. The document under the uuid may be another
 * organisation's, so an operator adopts the right one.
 */
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
