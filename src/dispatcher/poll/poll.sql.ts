import type { EntityManager } from 'typeorm';
import type { Environment } from '../../config/environment.js';
import { TAXPAYER_OF_CALL } from '../queue/authority-submissions.sql.js';
import type { FollowedDocument, FollowedSubmission } from '../queue/followed-submission.js';
import { LOOKUP_MINUTES_MAX } from '../queue/lookup-times.js';
import { buildServedSql } from '../../recovery/waits.sql.js';
import { buildWithoutReasonSql } from '../queue/without-reason.js';

const HAS_DUE = /* sql */ `
  SELECT EXISTS (SELECT FROM authority_submission d
    WHERE d.client_id = $2 AND d.state IN ('accepted', 'unknown') AND d.environment = $1 AND d.due_at <= service_now()
      AND d.submission_uid IS NOT NULL
      AND ${buildServedSql('d.tenant_id')}) AS "isDue"`;

export async function hasDuePoll(tx: EntityManager, environment: Environment, clientId: string): Promise<boolean> {
  const [{ isDue }] = await tx.query<{ isDue: boolean }[]>(HAS_DUE, [environment, clientId]);
  return isDue;
}

// The postponed poll is the lease. If this process crashes, another one polls the submission at that time.
const CLAIM = /* sql */ `
  UPDATE authority_submission s
     SET polls = s.polls + 1, due_at = service_now() + make_interval(secs => $2)
   WHERE (s.tenant_id, s.id) = (
     SELECT d.tenant_id, d.id FROM authority_submission d
      WHERE d.client_id = $3 AND d.state IN ('accepted', 'unknown') AND d.environment = $1 AND d.due_at <= service_now()
        AND d.submission_uid IS NOT NULL
        AND ${buildServedSql('d.tenant_id')}
      ORDER BY d.due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING s.tenant_id AS "tenantId", s.id AS "submissionId", s.submission_uid AS "submissionUid", s.polls - 1 AS polls,
            s.polls_without_reason AS "pollsWithoutReason", s.missing_since AS "missingSince",
            service_now() AS "polledAt", s.state = 'unknown' AS "isInDoubt",
            jsonb_build_object('tenantId', s.tenant_id, 'onBehalfOf', ${TAXPAYER_OF_CALL}) AS taxpayer`;

/** Claims the submission of this client id that has been due longest. */
export async function claimPoll(
  tx: EntityManager,
  claim: { environment: Environment; clientId: string; leaseSeconds: number },
): Promise<FollowedSubmission | null> {
  const parameters = [claim.environment, claim.leaseSeconds, claim.clientId];
  const [[submission = null]] = await tx.query<[FollowedSubmission[], number]>(CLAIM, parameters);
  return submission;
}

const READ_MEMBERS = /* sql */ `
  SELECT id AS "transactionId", reference_id AS "referenceId", document_type AS "documentType", authority_uuid AS "authorityUuid",
         split_part(on_behalf_of, ':', 1) AS "supplierTin", issued_at AS "issuedAt",
         authority_uuid IS NOT NULL AND (uuid_confirmed OR authority_status <> 'Submitted') AS "isUuidConfirmed",
         authority_status AS "authorityStatus", created_at AS "acceptedAt", validated_at AS "validatedAt", submitted_at AS "submittedAt",
         authority_status = 'Invalid' AND ${buildWithoutReasonSql('errors')} AS "isWithoutReason",
         authority_status <> 'Submitted' AND validated_at IS NULL
           OR authority_status = 'Valid' AND authority_long_id IS NULL
           OR authority_status = 'Cancelled' AND cancelled_at IS NULL AS "isIncomplete"
    FROM document_transaction
   WHERE tenant_id = $1 AND authority_submission_id = $2 AND authority_status IS NOT NULL
   ORDER BY id`;

export function readFollowed(
  tx: EntityManager,
  { tenantId, submissionId }: FollowedSubmission,
): Promise<FollowedDocument[]> {
  return tx.query<FollowedDocument[]>(READ_MEMBERS, [tenantId, submissionId]);
}

const SET_NEXT_POLL = /* sql */ `
  UPDATE authority_submission
     SET state = CASE WHEN $3::timestamptz IS NULL THEN 'settled' ELSE 'accepted' END, due_at = $3, updated_at = $4,
         polls_without_reason = $5, missing_since = $6, failure = NULL
   WHERE tenant_id = $1 AND id = $2 AND state IN ('accepted', 'unknown') AND submission_uid IS NOT NULL`;

export async function setNextPoll(
  tx: EntityManager,
  { tenantId, submissionId }: FollowedSubmission,
  {
    at,
    now,
    pollsWithoutReason,
    missingSince,
  }: { at: Date | null; now: Date } & Pick<FollowedSubmission, 'pollsWithoutReason' | 'missingSince'>,
): Promise<void> {
  await tx.query(SET_NEXT_POLL, [tenantId, submissionId, at, now, pollsWithoutReason, missingSince]);
}

const LOCK_FOLLOWED = /* sql */ `
  SELECT t.id AS "transactionId",
         a.shown_at IS NOT NULL AS "isShown",
         s.sent_at < service_now() - interval '${LOOKUP_MINUTES_MAX} minutes' AS "isLookupTimeOver"
    FROM document_transaction t
    JOIN authority_submission s ON s.tenant_id = t.tenant_id AND s.id = t.authority_submission_id
     AND s.state IN ('accepted', 'unknown')
    JOIN authority_document a ON a.tenant_id = t.tenant_id AND a.transaction_id = t.id
   WHERE t.tenant_id = $1 AND t.authority_submission_id = $2 AND t.id = ANY ($3::uuid[]) AND t.authority_status = 'Submitted'
   ORDER BY t.id FOR UPDATE OF t`;

export interface LockedDocument {
  readonly transactionId: string;
  readonly isShown: boolean;
  readonly isLookupTimeOver: boolean;
}

/** Locks the documents that still belong to this call. */
export async function lockFollowed(
  tx: EntityManager,
  { tenantId, submissionId }: FollowedSubmission,
  documents: readonly FollowedDocument[],
): Promise<LockedDocument[]> {
  if (documents.length === 0) return [];
  const ids = documents.map(({ transactionId }) => transactionId);
  return tx.query<LockedDocument[]>(LOCK_FOLLOWED, [tenantId, submissionId, ids]);
}
