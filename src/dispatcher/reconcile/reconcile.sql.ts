import type { EntityManager } from 'typeorm';
import type { DocumentError } from '../../documents/error-catalogue.js';
import type { Taxpayer } from '../../authority/tokens.js';
import type { Environment } from '../../config/environment.js';
import type { CallMember, ClaimedSubmission } from '../queue/claimed-submission.js';
import type { DocumentIdentity } from '../queue/document-identity.js';
import { buildServedSql } from '../../recovery/waits.sql.js';
import type { TenantQueue } from '../queue/tenant-queues.js';
import { IS_TO_DECIDE, REPRESENTED_BY_SUBMISSION, type SubmissionKey } from '../queue/authority-submissions.sql.js';

/** A call of which nobody knows whether it arrived. */
export interface UnknownSubmission extends TenantQueue {
  readonly submissionId: string;
  readonly sentAt: Date;
  /** When its last send had ended, in a response that is none or with its lease: it cannot have arrived later. */
  readonly doubtfulSince: Date;
  readonly sends: number;
  /** Lookups since the last send, including this one. A lookup that could not search does not count. */
  readonly lookups: number;
  /** When a search missed its documents for the first time. */
  readonly missingSince: Date | null;
  /** The authority asked not to send the call again before; null: it did not ask. */
  readonly resendAfter: Date | null;
  /** Whether lookups have ended, so that an operator may decide. */
  readonly isToDecide: boolean;
  readonly members: readonly UnknownMember[];
}

export interface UnknownMember extends CallMember, DocumentIdentity {
  /** The authority accepted it, and has not shown it under the ids of its response. It is never sent again. */
  readonly isAccepted: boolean;
  /** The authority's errors for a rejected copy. They take effect only if no lookup finds another copy. */
  readonly refusal: readonly DocumentError[] | null;
  /** The uuid of the rejected copy, if the authority had accepted it and then found it invalid. */
  readonly invalidUuid: string | null;
  /** It may have been sent more than once. */
  readonly isSentAgain: boolean;
  /** An earlier lookup showed a document that may be this one. It is never sent again. */
  readonly isShown: boolean;
}

// A process died, or was away for longer than its lease: what it was sending may have arrived.
// Its documents' bytes are fixed since the claim. Nothing but the call is locked, and no lock is waited for: a settlement
// that comes too late locks the documents first.
const EXPIRE = /* sql */ `
  UPDATE authority_submission
     SET state = 'unknown', owner = NULL, lease_until = NULL, failure = 'the lease ran out',
         due_at = lease_until + make_interval(secs => $1), lookups = 0, missing_since = NULL,
         updated_at = lease_until
   WHERE (tenant_id, id) IN (
     SELECT tenant_id, id FROM authority_submission
      WHERE state = 'sending' AND lease_until < service_now()
      ORDER BY tenant_id, id LIMIT 100 FOR UPDATE SKIP LOCKED)
  RETURNING id`;

/** Calls whose lease ran out become unknown; returns how many. They are looked up, never sent again on a guess. */
export async function expireLeases(tx: EntityManager, graceSeconds: number): Promise<number> {
  const [expired] = await tx.query<[unknown[], number]>(EXPIRE, [graceSeconds]);
  return expired.length;
}

const FIND_UNKNOWN_QUEUE = /* sql */ `
  SELECT s.tenant_id AS "tenantId", s.environment, s.client_id AS "clientId",
         ${REPRESENTED_BY_SUBMISSION} AS "onBehalfOf"
    FROM authority_submission s
   WHERE s.client_id = $2 AND s.state = 'unknown' AND s.environment = $1 AND s.due_at <= service_now()
     AND s.submission_uid IS NULL
     AND ${buildServedSql('s.tenant_id')}
   ORDER BY EXISTS (SELECT FROM document_transaction m
                     WHERE m.tenant_id = s.tenant_id AND m.authority_submission_id = s.id
                       AND m.authority_status = 'Submitted'),
            s.due_at LIMIT 1`;

/**
 * The tenant whose unknown calls of a client id have been due longest, and whom the first of them represents. Calls
 * whose response was lost come before accepted ones, because they may have to be sent again within a certain time.
 */
export async function findUnknownQueue(
  tx: EntityManager,
  environment: Environment,
  clientId: string,
): Promise<UnknownQueue | null> {
  const [tenantQueue = null] = await tx.query<UnknownQueue[]>(FIND_UNKNOWN_QUEUE, [environment, clientId]);
  return tenantQueue;
}

/** Unknown calls that one search serves. */
export type UnknownQueue = TenantQueue & Taxpayer & { readonly clientId: string };

// Postponing the next lookup is the lease, as for polls.
const CLAIM = /* sql */ `
  UPDATE authority_submission s
     SET lookups = lookups + 1, due_at = service_now() + make_interval(secs => $3)
   WHERE (tenant_id, id) IN (
     SELECT tenant_id, id FROM authority_submission s
      WHERE tenant_id = $1 AND environment = $2 AND state = 'unknown' AND due_at <= service_now()
        AND submission_uid IS NULL AND client_id = $5 AND ${REPRESENTED_BY_SUBMISSION} = $4 AND ${buildServedSql('s.tenant_id')}
      ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED)
  RETURNING id AS "submissionId", sent_at AS "sentAt", updated_at AS "doubtfulSince", sends, lookups,
            missing_since AS "missingSince", resend_after AS "resendAfter", ${IS_TO_DECIDE} AS "isToDecide"`;

const READ_MEMBERS = /* sql */ `
  SELECT t.authority_submission_id AS "submissionId", t.id AS "transactionId", t.document_type AS "documentType",
         t.reference_id AS "referenceId", t.refusals, a.bytes, a.sha256, a.issued_at AS "issuedAt",
         a.supplier_tin AS "supplierTin", b.traceparent, true AS "isResponseLost",
         t.authority_status IS NOT NULL AS "isAccepted", a.shown_at IS NOT NULL AS "isShown",
         CASE WHEN t.authority_status IS NULL OR t.uuid_confirmed THEN a.refusal END AS refusal,
         CASE WHEN t.authority_status IS NOT NULL AND t.uuid_confirmed AND a.refusal IS NOT NULL THEN t.authority_uuid END
           AS "invalidUuid",
         a.response_lost OR s.sends > 1 AS "isSentAgain"
    FROM document_transaction t
    JOIN authority_submission s ON s.tenant_id = t.tenant_id AND s.id = t.authority_submission_id
    JOIN authority_document a ON a.tenant_id = t.tenant_id AND a.transaction_id = t.id
    JOIN submission_batch b ON b.tenant_id = t.tenant_id AND b.id = t.submission_batch_id
   WHERE t.tenant_id = $1 AND t.authority_submission_id = ANY ($2::uuid[])
     AND (t.submission_status = 'Processing' OR t.authority_status = 'Submitted')
   ORDER BY t.id`;

interface MemberRow extends UnknownMember {
  readonly submissionId: string;
}

/** Takes all due unknown calls of a tenant for one whom they represent: one search serves them together. */
export async function claimUnknown(
  tx: EntityManager,
  tenantQueue: UnknownQueue,
  leaseSeconds: number,
): Promise<UnknownSubmission[]> {
  const { tenantId, environment, onBehalfOf, clientId } = tenantQueue;
  const parameters = [tenantId, environment, leaseSeconds, onBehalfOf, clientId];
  const [submissions] = await tx.query<[Omit<UnknownSubmission, 'tenantId' | 'environment' | 'members'>[], number]>(
    CLAIM,
    parameters,
  );
  const ids = submissions.map(({ submissionId }) => submissionId);
  const members = await tx.query<MemberRow[]>(READ_MEMBERS, [tenantQueue.tenantId, ids]);
  return submissions.map((submission) => ({
    ...submission,
    tenantId: tenantQueue.tenantId,
    environment: tenantQueue.environment,
    members: members.filter(({ submissionId }) => submissionId === submission.submissionId),
  }));
}

// Skips calls that another lookup has claimed meanwhile.
const FROM_CLAIMED = /* sql */ `
    FROM unnest($2::float8[], $3::uuid[], $4::integer[], $5::integer[]) AS claimed (seconds, id, sends, lookups)
   WHERE s.tenant_id = $1 AND s.id = claimed.id AND s.state = 'unknown'
     AND s.sends = claimed.sends AND s.lookups = claimed.lookups`;

function listClaims(submissions: readonly Pick<UnknownSubmission, 'submissionId' | 'sends' | 'lookups'>[]): unknown[] {
  return [
    submissions.map(({ submissionId }) => submissionId),
    submissions.map(({ sends }) => sends),
    submissions.map(({ lookups }) => lookups),
  ];
}

const EXTEND_LEASES = /* sql */ `
  UPDATE authority_submission s SET due_at = service_now() + make_interval(secs => claimed.seconds)
  ${FROM_CLAIMED}`;

/**
 * Keeps claimed calls for the next page of their search. The call limits put pages seconds apart: a search of many
 * takes longer than any lease, and another one begun after that would decide nothing, time and again.
 */
export async function extendUnknownLeases(
  tx: EntityManager,
  { tenantId }: TenantQueue,
  { submissions, seconds }: { submissions: readonly UnknownSubmission[]; seconds: number },
): Promise<void> {
  await tx.query(EXTEND_LEASES, [tenantId, submissions.map(() => seconds), ...listClaims(submissions)]);
}

const LOCK_MEMBERS = /* sql */ `
  SELECT id FROM document_transaction
   WHERE tenant_id = $1 AND authority_submission_id = $2 ORDER BY id FOR UPDATE`;

const LOCK_SUBMISSION = /* sql */ `
  SELECT id FROM authority_submission
   WHERE tenant_id = $1 AND id = $2 AND state = 'unknown' AND sends = $3 AND lookups = $4 FOR UPDATE`;

/**
 * Locks the documents of an unknown call and then the call, so that the results of a lookup can be written.
 * @returns false if the call was sent again, looked up again or decided since it was claimed: the results are then
 *   outdated
 */
export async function lockUnknown(
  tx: EntityManager,
  { tenantId, submissionId, sends, lookups }: UnknownSubmission,
): Promise<boolean> {
  await tx.query(LOCK_MEMBERS, [tenantId, submissionId]);
  return (await tx.query<unknown[]>(LOCK_SUBMISSION, [tenantId, submissionId, sends, lookups])).length > 0;
}

const RECORD_SHOWN = /* sql */ `
  UPDATE authority_document SET shown_at = $3
   WHERE tenant_id = $1 AND transaction_id = ANY ($2::uuid[]) AND shown_at IS NULL`;

/** Records that a lookup showed documents that may be these. Later lookups that miss them do not prove their absence. */
export async function recordShown(
  tx: EntityManager,
  { tenantId }: TenantQueue,
  { members, now }: { members: readonly UnknownMember[]; now: Date },
): Promise<void> {
  if (members.length === 0) return;
  await tx.query(RECORD_SHOWN, [tenantId, members.map(({ transactionId }) => transactionId), now]);
}

const SET_FOUND = /* sql */ `
  UPDATE authority_submission SET submission_uid = $3, due_at = $4, missing_since = NULL
   WHERE tenant_id = $1 AND id = $2 AND state = 'unknown'`;

/**
 * Lets the next poll read documents that a search has found. Until it shows their outcome, the call stays in doubt, and an
 * operator may decide it.
 */
export async function setFound(
  tx: EntityManager,
  { tenantId, submissionId }: SubmissionKey,
  { submissionUid, now }: { submissionUid: string; now: Date },
): Promise<void> {
  await tx.query(SET_FOUND, [tenantId, submissionId, submissionUid, now]);
}

const SET_MISSING = /* sql */ `
  UPDATE authority_submission
     SET missing_since = least(missing_since, $3), due_at = $4
   WHERE tenant_id = $1 AND id = $2 AND state = 'unknown'`;

/** @param nextLookupAt null ends the lookups, and an operator must decide */
export async function setMissing(
  tx: EntityManager,
  { tenantId, submissionId }: UnknownSubmission,
  { now, nextLookupAt }: { now: Date; nextLookupAt: Date | null },
): Promise<void> {
  await tx.query(SET_MISSING, [tenantId, submissionId, now, nextLookupAt]);
}

const SET_UNDECIDED = /* sql */ `
  UPDATE authority_submission SET due_at = $3, failure = coalesce($4, failure), missing_since = NULL
   WHERE tenant_id = $1 AND id = $2 AND state = 'unknown'`;

/**
 * Stores that the documents may have arrived and that a lookup could not adopt them.
 * @param nextLookupAt null ends the lookups: an operator decides
 * @param failure the reason that "queue show" lists; null keeps the earlier one
 */
export async function setUndecided(
  tx: EntityManager,
  { tenantId, submissionId }: UnknownSubmission,
  { nextLookupAt, failure }: { nextLookupAt: Date | null; failure: string | null },
): Promise<void> {
  await tx.query(SET_UNDECIDED, [tenantId, submissionId, nextLookupAt, failure]);
}

const POSTPONE = /* sql */ `
  UPDATE authority_submission s
     SET due_at = service_now() + make_interval(secs => claimed.seconds), lookups = s.lookups - 1
  ${FROM_CLAIMED}`;

/** Postpones a lookup that could not search, so that it does not count. */
export async function postpone(
  tx: EntityManager,
  { tenantId }: TenantQueue,
  submissions: readonly (Pick<UnknownSubmission, 'submissionId' | 'sends' | 'lookups'> & {
    readonly seconds: number;
  })[],
): Promise<void> {
  const seconds = submissions.map((submission) => submission.seconds);
  await tx.query(POSTPONE, [tenantId, seconds, ...listClaims(submissions)]);
}

// The first send's time stays: the authority's two hours count from it.
const RESEND = /* sql */ `
  UPDATE authority_submission
     SET state = 'sending', owner = $3, lease_until = service_now() + make_interval(secs => $4), sends = sends + 1,
         due_at = NULL, updated_at = service_now()
   WHERE tenant_id = $1 AND id = $2 AND state = 'unknown' AND sends = $5 AND lookups = $6
     AND ${buildServedSql('authority_submission.tenant_id')}
  RETURNING id`;

/**
 * Leases an unknown call to be sent again with the same bytes; false when another process has come first: a lookup that
 * took longer than its lease may have been overtaken by one that has sent the call already.
 */
export async function claimResend(
  tx: EntityManager,
  submission: ClaimedSubmission & UnknownSubmission,
  leaseSeconds: number,
): Promise<boolean> {
  const { tenantId, submissionId, owner, sends, lookups } = submission;
  const parameters = [tenantId, submissionId, owner, leaseSeconds, sends, lookups];
  const [claimed] = await tx.query<[unknown[], number]>(RESEND, parameters);
  return claimed.length > 0;
}
