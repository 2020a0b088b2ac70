import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { DocumentError } from '../../documents/error-catalogue.js';
import type { CallMember } from './claimed-submission.js';
import { LOOKUP_MINUTES_MAX } from './lookup-times.js';

export interface SubmissionKey {
  readonly tenantId: string;
  readonly submissionId: string;
}

export const TAXPAYER_OF_CALL = /* sql */ `
  (SELECT m.on_behalf_of FROM document_transaction m
    WHERE m.tenant_id = s.tenant_id AND m.authority_submission_id = s.id LIMIT 1)`;

/**
 * End of the last send of a call `s`, or the time at which its documents were split off as a separate call in doubt.
 */
export const DOUBTFUL_SINCE = /* sql */ `
  CASE s.state WHEN 'unknown' THEN greatest(s.created_at, s.updated_at) ELSE s.sent_at END`;

export const IS_LOOKUP_TIME_OVER = /* sql */ `
  (${DOUBTFUL_SINCE}) < service_now() - interval '${LOOKUP_MINUTES_MAX} minutes'`;

/** Condition on a call `s` that an operator may decide, because its lookups have ended or had enough time. */
export const IS_TO_DECIDE = /* sql */ `
  (s.state = 'unknown' AND (s.due_at IS NULL OR ${IS_LOOKUP_TIME_OVER}))`;

/** Condition on a valid document `t` whose uuid a later poll contradicted. */
export const IS_UUID_IN_DOUBT = /* sql */ `
  (t.authority_status = 'Valid' AND t.authority_uuid IS NOT NULL AND NOT t.uuid_confirmed)`;

const SET_ACCEPTED = /* sql */ `
  UPDATE authority_submission
     SET state = 'accepted', submission_uid = $3, due_at = $4, polls = 0, missing_since = NULL, failure = NULL,
         client_id = coalesce($5, client_id), updated_at = $4
   WHERE tenant_id = $1 AND id = $2 AND state = 'unknown'`;

/** @param clientId the client id that found the documents */
export async function setAccepted(
  tx: EntityManager,
  { tenantId, submissionId }: SubmissionKey,
  { submissionUid, now, clientId = null }: { submissionUid: string | null; now: Date; clientId?: string | null },
): Promise<void> {
  await tx.query(SET_ACCEPTED, [tenantId, submissionId, submissionUid, now, clientId]);
}

const END = /* sql */ `
  UPDATE authority_submission SET state = 'failed', due_at = NULL, failure = $3, updated_at = $4
   WHERE tenant_id = $1 AND id = $2`;

export async function endSubmission(
  tx: EntityManager,
  { tenantId, submissionId }: SubmissionKey,
  { failure, now }: { failure: string; now: Date },
): Promise<void> {
  await tx.query(END, [tenantId, submissionId, failure, now]);
}

const FREE_BYTES = /* sql */ `
  UPDATE authority_document SET may_have_arrived = false WHERE tenant_id = $1 AND transaction_id = ANY ($2::uuid[])`;

/**
 * Allows the documents to be rebuilt when they are too old, because no send has arrived (docs/rules.md#issue-time).
 */
export async function freeBytes(
  tx: EntityManager,
  { tenantId, members }: { tenantId: string; members: readonly { transactionId: string }[] },
): Promise<void> {
  await tx.query(FREE_BYTES, [tenantId, members.map(({ transactionId }) => transactionId)]);
}

// The new call keeps the send times, because a search covers all documents received between them.
const SPLIT = /* sql */ `
  INSERT INTO authority_submission
    (tenant_id, id, environment, client_id, state, sent_at, sends, lookups, missing_since, resend_after, due_at,
     failure, created_at, updated_at)
  SELECT tenant_id, $3, environment, client_id, 'unknown', sent_at, sends,
         CASE WHEN state = 'unknown' THEN lookups ELSE 0 END,
         CASE $7::text WHEN 'now' THEN $4::timestamptz WHEN 'kept' THEN missing_since END, resend_after, $5,
         coalesce($6, failure), CASE WHEN $9 THEN sent_at WHEN $7 = 'kept' THEN created_at ELSE $4 END,
         coalesce((SELECT max(t.submitted_at) FROM document_transaction t
                    WHERE t.tenant_id = s.tenant_id AND t.id = ANY ($8::uuid[])), s.updated_at)
    FROM authority_submission s WHERE tenant_id = $1 AND id = $2`;

const MOVE_MEMBERS = /* sql */ `
  UPDATE document_transaction t SET authority_submission_id = $3, updated_at = $4, version = version + 1
   WHERE tenant_id = $1 AND id = ANY ($2::uuid[])
     AND (submission_status = 'Processing' OR authority_status = 'Submitted' OR ${IS_UUID_IN_DOUBT})`;

export interface SplitRequest {
  readonly members: readonly Pick<CallMember, 'transactionId'>[];
  /** Time since which lookups have missed the documents; `kept` copies the value of the original call. */
  readonly missingSince: 'now' | 'never' | 'kept';
  readonly failure: string | null;
  readonly now: Date;
  readonly nextLookupAt: Date | null;
  /** Whether an operator may decide immediately, because the time for lookups has already passed. */
  readonly isDecidable?: boolean;
}

/** Splits documents off into a separate call in doubt and returns the id of that call. */
export async function splitOff(
  tx: EntityManager,
  { tenantId, submissionId }: SubmissionKey,
  { members, missingSince, failure, now, nextLookupAt, isDecidable = false }: SplitRequest,
): Promise<string> {
  const newId = uuidv7();
  const ids = members.map(({ transactionId }) => transactionId);
  await tx.query(SPLIT, [tenantId, submissionId, newId, now, nextLookupAt, failure, missingSince, ids, isDecidable]);
  await tx.query(MOVE_MEMBERS, [tenantId, ids, newId, now]);
  return newId;
}

const REFUSED = 'the authority rejected it, and may have accepted another copy';

export interface RefusedMember {
  readonly transactionId: string;
  readonly errors: readonly DocumentError[];
}

// Clears `shown_at`, because the lookup may have shown only the rejected copy.
const STORE_REFUSALS = /* sql */ `
  UPDATE authority_document a SET refused_at = $3, refusal = r.errors, shown_at = NULL
    FROM jsonb_to_recordset($2::jsonb) AS r ("transactionId" uuid, errors jsonb)
   WHERE a.tenant_id = $1 AND a.transaction_id = r."transactionId"`;

// The first send may have been part of another call. The stored bytes are as old as that send.
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

export interface RelocatedDocument {
  readonly transactionId: string;
  readonly submissionUid: string;
}

/** Moves documents that the authority shows in other submissions to separate accepted calls. */
export async function moveToSubmissions(
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

/** Stores rejections that take effect only if no lookup finds another copy, and puts the documents in doubt. */
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
