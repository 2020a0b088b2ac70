import type { EntityManager } from 'typeorm';
import type { Original } from '../queue/outcome-reader.js';
import type { StatusChange } from '../queue/status-changes.js';
import { lockFollowed } from './poll.sql.js';
import { moveToSubmissions } from '../queue/authority-submissions.sql.js';
import type { FollowedDocument, FollowedSubmission } from '../queue/followed-submission.js';

export interface AdoptedOriginal {
  readonly member: FollowedDocument;
  readonly original: Original;
}

export function buildAdoption({ transactionId }: FollowedDocument, { authorityUuid }: Original): StatusChange {
  const facts = { authorityUuid, uuidConfirmed: true };
  return { transactionId, to: 'submitted', cause: 'adopted_original', facts };
}

/** Moves duplicate documents to the submissions of their originals, so that polls follow the originals. */
export async function followOriginals(
  tx: EntityManager,
  submission: FollowedSubmission,
  { originals, moved, now }: { originals: readonly AdoptedOriginal[]; moved: ReadonlySet<string>; now: Date },
): Promise<void> {
  const adopted = originals.map(({ member }) => member).filter(({ transactionId }) => moved.has(transactionId));
  // Another poll or an operator may have moved a document meanwhile.
  const locked = new Set((await lockFollowed(tx, submission, adopted)).map(({ transactionId }) => transactionId));
  const documents = originals
    .map(({ member: { transactionId }, original: { submissionUid } }) => ({ transactionId, submissionUid }))
    .filter(({ transactionId }) => locked.has(transactionId));
  await moveToSubmissions(tx, submission, { documents, now });
}
