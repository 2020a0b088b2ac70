import type { EntityManager } from 'typeorm';
import type { DocumentError } from '../../documents/error-catalogue.js';
import { setAccepted, splitOff, type SplitRequest, type SubmissionKey } from '../reconcile/reconcile.sql.js';

const REFUSED = 'the authority rejected it, and may have accepted another copy';

/** A document of which the authority rejected a copy, with the reasons as its attempt would state them. */
export interface RefusedMember {
  readonly transactionId: string;
  readonly errors: readonly DocumentError[];
}

// Clears shown_at, which belongs to the rejected copy: a document that a lookup has shown is never sent again.
const STORE_REFUSALS = /* sql */ `
  UPDATE authority_document a SET refused_at = $3, refusal = r.errors, shown_at = NULL
    FROM jsonb_to_recordset($2::jsonb) AS r ("transactionId" uuid, errors jsonb)
   WHERE a.tenant_id = $1 AND a.transaction_id = r."transactionId"`;

// The first send may have been in another call. The stored bytes are as old as that send.
const COVER_FIRST_SEND = /* sql */ `
  UPDATE authority_submission
     SET sent_at = least(sent_at, (
           SELECT min(created_at) FROM authority_document WHERE tenant_id = $1 AND transaction_id = ANY ($3::uuid[])))
   WHERE tenant_id = $1 AND id = $2`;

async function coverFirstSend(
  tx: EntityManager,
  { tenantId, submissionId }: SubmissionKey,
  members: SplitRequest['members'],
): Promise<void> {
  await tx.query(COVER_FIRST_SEND, [tenantId, submissionId, members.map(({ transactionId }) => transactionId)]);
}

/** A document and the authority's submission that contains it. */
export interface RelocatedDocument {
  readonly transactionId: string;
  readonly submissionUid: string;
}

/**
 * Moves documents that the authority has in another submission than their call to separate accepted calls. If polls do
 * not find them there, lookups start at their first send.
 */
export async function followElsewhere(
  tx: EntityManager,
  submission: SubmissionKey & { readonly submissionUid: string | null },
  { documents, now, clientId = null }: { documents: readonly RelocatedDocument[]; now: Date; clientId?: string | null },
): Promise<void> {
  const { tenantId } = submission;
  for (const submissionUid of new Set(documents.map((document) => document.submissionUid))) {
    if (submissionUid === submission.submissionUid) continue;
    const members = documents.filter((document) => document.submissionUid === submissionUid);
    const part = { members, missingSince: 'never', failure: null, now, nextLookupAt: now } as const;
    const submissionId = await splitOff(tx, submission, part);
    await coverFirstSend(tx, { tenantId, submissionId }, members);
    await setAccepted(tx, { tenantId, submissionId }, { submissionUid, now, clientId });
  }
}

/**
 * Keeps rejections that count only if no lookup finds another copy. The documents continue as a separate call in doubt,
 * whose lookups cover their first send.
 */
export async function splitOffRefused(
  tx: EntityManager,
  submission: SubmissionKey,
  { refused, now, nextLookupAt }: { refused: readonly RefusedMember[]; now: Date; nextLookupAt: Date },
): Promise<void> {
  const { tenantId } = submission;
  await tx.query(STORE_REFUSALS, [tenantId, JSON.stringify(refused), now]);
  const newId = await splitOff(tx, submission, {
    members: refused,
    missingSince: 'never',
    failure: REFUSED,
    now,
    nextLookupAt,
  });
  await coverFirstSend(tx, { tenantId, submissionId: newId }, refused);
}
