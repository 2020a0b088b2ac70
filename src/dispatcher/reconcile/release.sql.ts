import type { EntityManager } from 'typeorm';
import type { Taxpayer } from '../../authority/tokens.js';
import type { Environment } from '../../config/environment.js';
import type { DocumentIdentity } from '../document-identity.js';
import { HAS_IDENTITY_CONFLICT } from '../identity.sql.js';
import { REPRESENTED_BY_SUBMISSION } from '../poll/poll.sql.js';

/** A call that a person decides, with the documents that are in doubt in it. */
export interface ReleasableSubmission {
  readonly tenantId: string;
  readonly submissionId: string;
  readonly environment: Environment;
  /** Null for a call of a build that did not store it. */
  readonly clientId: string | null;
  readonly state: string;
  readonly sentAt: Date;
  /** Null when a person decides. */
  readonly nextLookAt: Date | null;
  readonly taxpayer: Taxpayer;
  /** As they were accepted, which is how "queue show" lists them. */
  readonly members: readonly ReleasableMember[];
}

export interface ReleasableMember extends DocumentIdentity {
  readonly transactionId: string;
  readonly hasRival: boolean;
  /**
   * The authority accepted it. In doubt is which document it is: an earlier one of which this is a duplicate, or one that
   * the authority does not show under the ids of its response.
   */
  readonly hasAuthorityStatus: boolean;
}

const READ = /* sql */ `
  SELECT s.tenant_id AS "tenantId", s.id AS "submissionId", s.environment, s.client_id AS "clientId", s.state,
         s.sent_at AS "sentAt", s.next_look_at AS "nextLookAt",
         jsonb_build_object('tenantId', s.tenant_id, 'onBehalfOf', ${REPRESENTED_BY_SUBMISSION}) AS taxpayer
    FROM authority_submission s WHERE s.id = $1`;

const MEMBERS = /* sql */ `
  SELECT t.id AS "transactionId", t.document_type AS "documentType", t.reference_id AS "referenceId",
         a.issued_at AS "issuedAt", a.supplier_tin AS "supplierTin", ${HAS_IDENTITY_CONFLICT} AS "hasRival",
         t.authority_status IS NOT NULL AS "hasAuthorityStatus"
    FROM document_transaction t
    JOIN authority_document a ON a.tenant_id = t.tenant_id AND a.transaction_id = t.id
   WHERE t.tenant_id = $1 AND t.authority_submission_id = $2
     AND (t.submission_status = 'Processing' OR t.authority_status = 'Submitted')
   ORDER BY t.created_at, t.submission_batch_id, t.position`;

/** Null when there is no such submission. */
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
  SELECT state, next_look_at AS "nextLookAt" FROM authority_submission WHERE tenant_id = $1 AND id = $2 FOR UPDATE`;

/**
 * Locks the call's documents, then the call, as everybody does, and reads both as they are now.
 * @returns null when there is no such submission
 */
export async function lockReleasable(tx: EntityManager, submissionId: string): Promise<ReleasableSubmission | null> {
  const [row] = await tx.query<Omit<ReleasableSubmission, 'members'>[]>(READ, [submissionId]);
  if (row === undefined) return null;
  const key = [row.tenantId, submissionId];
  await tx.query(LOCK, key);
  const [current] = await tx.query<Pick<ReleasableSubmission, 'state' | 'nextLookAt'>[]>(LOCK_STATE, key);
  return { ...row, ...current, members: await tx.query<ReleasableMember[]>(MEMBERS, key) };
}

const END = /* sql */ `
  UPDATE authority_submission SET state = 'failed', next_look_at = NULL, failure = $3, updated_at = $4
   WHERE tenant_id = $1 AND id = $2`;

/** The call is over: nothing is looked for any more. */
export async function endSubmission(
  tx: EntityManager,
  { tenantId, submissionId }: Pick<ReleasableSubmission, 'tenantId' | 'submissionId'>,
  { failure, now }: { failure: string; now: Date },
): Promise<void> {
  await tx.query(END, [tenantId, submissionId, failure, now]);
}

const FREE_BYTES = /* sql */ `
  UPDATE authority_document SET may_have_arrived = false WHERE tenant_id = $1 AND transaction_id = ANY ($2::uuid[])`;

/**
 * No send has arrived, certainly: the bytes may be built again when they have become too old
 * (docs/rules.md#issue-time).
 */
export async function freeBytes(
  tx: EntityManager,
  { tenantId, members }: { tenantId: string; members: readonly { transactionId: string }[] },
): Promise<void> {
  await tx.query(FREE_BYTES, [tenantId, members.map(({ transactionId }) => transactionId)]);
}

const RECORD_LOST_RESPONSE = /* sql */ `
  UPDATE authority_document SET answer_lost = true WHERE tenant_id = $1 AND transaction_id = ANY ($2::uuid[])`;

/**
 * Though a person says that no send has arrived: should one have, the document that the authority had before is ours.
 */
export async function recordLostResponse(
  tx: EntityManager,
  { tenantId, members }: { tenantId: string; members: readonly { transactionId: string }[] },
): Promise<void> {
  await tx.query(RECORD_LOST_RESPONSE, [tenantId, members.map(({ transactionId }) => transactionId)]);
}
