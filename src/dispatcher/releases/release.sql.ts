import type { EntityManager } from 'typeorm';
import type { Taxpayer } from '../../authority/tokens.js';
import type { Environment } from '../../config/environment.js';
import type { DocumentIdentity } from '../queue/document-identity.js';
import { IS_ABANDONED, IS_UNDECIDED, MAY_HAVE_ARRIVED } from './release-decisions.js';
import { DOUBTFUL_SINCE, TAXPAYER_OF_CALL } from '../queue/authority-submissions.sql.js';

export interface ReleasableSubmission {
  readonly tenantId: string;
  readonly submissionId: string;
  readonly environment: Environment;
  readonly clientId: string;
  readonly state: string;
  readonly submissionUid: string | null;
  readonly sentAt: Date;
  /** End of the last send, or the time at which the documents were split off as a separate call in doubt. */
  readonly doubtfulSince: Date;
  /** Null if lookups have ended and an operator must decide. */
  readonly dueAt: Date | null;
  readonly failure: string | null;
  readonly mayHaveArrived: boolean;
  readonly isAbandoned: boolean;
  readonly taxpayer: Taxpayer;
  /** Undecided documents in the order of "queue show". */
  readonly members: readonly ReleasableMember[];
}

export interface ReleasableMember extends DocumentIdentity {
  readonly transactionId: string;
  readonly authorityUuid: string | null;
  readonly isUuidConfirmed: boolean;
  /**
   * Whether the document is valid. A valid document is undecided if its uuid is wrong or a cancellation is unfinished.
   */
  readonly isValid: boolean;
  /** Whether the authority has accepted the document. An accepted document must not be sent again. */
  readonly hasAuthorityStatus: boolean;
}

/** Values that may change until the call is locked. */
type CurrentState = Pick<
  ReleasableSubmission,
  'state' | 'submissionUid' | 'doubtfulSince' | 'dueAt' | 'failure' | 'mayHaveArrived' | 'isAbandoned'
>;
const CURRENT = /* sql */ `
  s.state, s.submission_uid AS "submissionUid", ${DOUBTFUL_SINCE} AS "doubtfulSince",
  s.due_at AS "dueAt", s.failure, ${MAY_HAVE_ARRIVED} AS "mayHaveArrived", coalesce(${IS_ABANDONED}, false) AS "isAbandoned"`;

const READ = /* sql */ `
  SELECT s.tenant_id AS "tenantId", s.id AS "submissionId", s.environment, s.client_id AS "clientId",
         s.sent_at AS "sentAt", ${CURRENT},
         jsonb_build_object('tenantId', s.tenant_id, 'onBehalfOf', ${TAXPAYER_OF_CALL}) AS taxpayer
    FROM authority_submission s WHERE s.id = $1`;

const MEMBERS = /* sql */ `
  SELECT t.id AS "transactionId", t.document_type AS "documentType", t.reference_id AS "referenceId",
         a.issued_at AS "issuedAt", a.supplier_tin AS "supplierTin",
         t.authority_status IS NOT NULL AS "hasAuthorityStatus", t.authority_uuid AS "authorityUuid",
         t.authority_uuid IS NOT NULL AND t.uuid_confirmed AS "isUuidConfirmed",
         coalesce(t.authority_status = 'Valid', false) AS "isValid"
    FROM document_transaction t
    JOIN authority_document a ON a.tenant_id = t.tenant_id AND a.transaction_id = t.id
   WHERE t.tenant_id = $1 AND t.authority_submission_id = $2
     AND ${IS_UNDECIDED}
   ORDER BY t.created_at, t.submission_batch_id, t.position`;

export async function readReleasable(tx: EntityManager, submissionId: string): Promise<ReleasableSubmission | null> {
  const [row] = await tx.query<Omit<ReleasableSubmission, 'members'>[]>(READ, [submissionId]);
  if (row === undefined) return null;
  const members = await tx.query<ReleasableMember[]>(MEMBERS, [row.tenantId, submissionId]);
  return { ...row, members };
}

const LOCK = /* sql */ `
  SELECT id FROM document_transaction
   WHERE tenant_id = $1 AND authority_submission_id = $2 ORDER BY id FOR UPDATE`;

const LOCK_STATE = /* sql */ `
  SELECT ${CURRENT} FROM authority_submission s WHERE s.tenant_id = $1 AND s.id = $2 FOR UPDATE`;

/** Locks the documents and then the call, and reads both again. */
export async function lockReleasable(tx: EntityManager, submissionId: string): Promise<ReleasableSubmission | null> {
  const [row] = await tx.query<Omit<ReleasableSubmission, 'members'>[]>(READ, [submissionId]);
  if (row === undefined) return null;
  const key = [row.tenantId, submissionId];
  await tx.query(LOCK, key);
  const [current] = await tx.query<CurrentState[]>(LOCK_STATE, key);
  return { ...row, ...current, members: await tx.query<ReleasableMember[]>(MEMBERS, key) };
}

const TAKE_OVER = /* sql */ `
  UPDATE authority_submission SET client_id = coalesce($3, client_id), due_at = $4, polls = 0, updated_at = $4
   WHERE tenant_id = $1 AND id = $2 AND state = 'accepted'`;

/** Moves an accepted call to another client id. */
export async function takeOverAccepted(
  tx: EntityManager,
  { tenantId, submissionId }: Pick<ReleasableSubmission, 'tenantId' | 'submissionId'>,
  { clientId, now }: { clientId: string | null; now: Date },
): Promise<void> {
  await tx.query(TAKE_OVER, [tenantId, submissionId, clientId, now]);
}

const END_CANCELLATIONS = /* sql */ `
  UPDATE document_cancellation c
     SET status = CASE WHEN t.authority_status = 'Cancelled' THEN 'Completed' ELSE 'Failed' END,
         errors = CASE WHEN t.authority_status = 'Cancelled' THEN '[]' ELSE $3::jsonb END, owner = NULL, updated_at = $4
    FROM document_transaction t
   WHERE t.tenant_id = c.tenant_id AND t.id = c.transaction_id
     AND c.tenant_id = $1 AND c.transaction_id = ANY ($2::uuid[]) AND c.status IN ('Queued', 'Processing')`;

/** Ends unfinished cancellations. A cancellation fails if its document is still valid. */
export async function endCancellations(
  tx: EntityManager,
  { tenantId, transactionIds }: { tenantId: string; transactionIds: readonly string[] },
  { errors, now }: { errors: readonly object[]; now: Date },
): Promise<void> {
  await tx.query(END_CANCELLATIONS, [tenantId, transactionIds, JSON.stringify(errors), now]);
}

const RECORD_LOST_RESPONSE = /* sql */ `
  UPDATE authority_document SET response_lost = true WHERE tenant_id = $1 AND transaction_id = ANY ($2::uuid[])`;

/**
 * Records that the send may have arrived despite the operator's statement. A later duplicate then counts as our
 * own document.
 */
export async function recordLostResponse(
  tx: EntityManager,
  { tenantId, members }: { tenantId: string; members: readonly { transactionId: string }[] },
): Promise<void> {
  await tx.query(RECORD_LOST_RESPONSE, [tenantId, members.map(({ transactionId }) => transactionId)]);
}
