import type { EntityManager } from 'typeorm';
import type { DocumentError } from '../../documents/error-catalogue.js';
import type { Taxpayer } from '../../authority/tokens.js';
import type { Environment } from '../../config/environment.js';
import type { CallMember, ClaimedSubmission } from '../queue/claimed-submission.js';
import type { DocumentIdentity } from '../queue/document-identity.js';
import { buildServedSql } from '../../recovery/waits.sql.js';
import type { TenantQueue } from '../queue/tenant-queues.js';
import { IS_TO_DECIDE, TAXPAYER_OF_CALL, type SubmissionKey } from '../queue/authority-submissions.sql.js';

export interface UnknownSubmission extends TenantQueue {
  readonly submissionId: string;
  readonly sentAt: Date;
  /** End of the last send. The call cannot have arrived later. */
  readonly doubtfulSince: Date;
  readonly sends: number;
  /** Lookups since the last send, including this one. Lookups without a search do not count. */
  readonly lookups: number;
  readonly missingSince: Date | null;
  readonly resendAfter: Date | null;
  readonly isToDecide: boolean;
  readonly members: readonly UnknownMember[];
}

export interface UnknownMember extends CallMember, DocumentIdentity {
  /** Whether the authority accepted the document. An accepted document is never sent again. */
  readonly isAccepted: boolean;
  /** Errors of a rejected copy. They take effect only if no lookup finds another copy. */
  readonly refusal: readonly DocumentError[] | null;
  readonly invalidUuid: string | null;
  readonly isSentAgain: boolean;
  /** Whether an earlier lookup showed a possible copy. The document is then never sent again. */
  readonly isShown: boolean;
}

// After a crash or a long pause, the send may have arrived. Locks only the call, without waiting, because a late
// settlement locks the documents first.
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

/** Marks calls with an expired lease as unknown, because only a lookup shows whether they arrived. */
export async function expireLeases(tx: EntityManager, graceSeconds: number): Promise<number> {
  const [expired] = await tx.query<[unknown[], number]>(EXPIRE, [graceSeconds]);
  return expired.length;
}

const FIND_UNKNOWN_QUEUE = /* sql */ `
  SELECT s.tenant_id AS "tenantId", s.environment, s.client_id AS "clientId",
         ${TAXPAYER_OF_CALL} AS "onBehalfOf"
    FROM authority_submission s
   WHERE s.client_id = $2 AND s.state = 'unknown' AND s.environment = $1 AND s.due_at <= service_now()
     AND s.submission_uid IS NULL
     AND ${buildServedSql('s.tenant_id')}
   ORDER BY EXISTS (SELECT FROM document_transaction m
                     WHERE m.tenant_id = s.tenant_id AND m.authority_submission_id = s.id
                       AND m.authority_status = 'Submitted'),
            s.due_at LIMIT 1`;

/**
 * Finds the unknown calls that have been due longest. Calls with a lost response come first because they may be
 * sent again.
 */
export async function findUnknownQueue(
  tx: EntityManager,
  environment: Environment,
  clientId: string,
): Promise<UnknownQueue | null> {
  const [tenantQueue = null] = await tx.query<UnknownQueue[]>(FIND_UNKNOWN_QUEUE, [environment, clientId]);
  return tenantQueue;
}

export type UnknownQueue = TenantQueue & Taxpayer & { readonly clientId: string };

const CLAIM = /* sql */ `
  UPDATE authority_submission s
     SET lookups = lookups + 1, due_at = service_now() + make_interval(secs => $3)
   WHERE (tenant_id, id) IN (
     SELECT tenant_id, id FROM authority_submission s
      WHERE tenant_id = $1 AND environment = $2 AND state = 'unknown' AND due_at <= service_now()
        AND submission_uid IS NULL AND client_id = $5 AND ${TAXPAYER_OF_CALL} = $4 AND ${buildServedSql('s.tenant_id')}
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

/** Extends the leases until the next page, because a long search outlasts any lease. */
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

/** Locks the documents and then the call. Returns false if the results of the lookup are outdated. */
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

/** Records that a lookup showed possible copies. Later lookups without these copies prove nothing. */
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

/** Makes documents pollable again after a search found them although lookups had ended. */
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
 * @param nextLookupAt null ends the lookups
 * @param failure reason in "queue show"; null keeps the earlier one
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

/** Postpones a lookup that made no search. The lookup does not count. */
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

// Keeps the time of the first send, at which the authority's two hours start.
const RESEND = /* sql */ `
  UPDATE authority_submission
     SET state = 'sending', owner = $3, lease_until = service_now() + make_interval(secs => $4), sends = sends + 1,
         due_at = NULL, updated_at = service_now()
   WHERE tenant_id = $1 AND id = $2 AND state = 'unknown' AND sends = $5 AND lookups = $6
     AND ${buildServedSql('authority_submission.tenant_id')}
  RETURNING id`;

/**
 * Leases an unknown call for a resend. Returns false if another process has handled the call since the lookup began.
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
