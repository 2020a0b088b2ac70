import type { EntityManager } from 'typeorm';
import type { Taxpayer } from '../authority/tokens.js';
import type { Environment } from '../config/environment.js';
import { findOnBehalfOf } from '../documents/identity.js';
import type { DocumentType } from '../documents/simplified-document.js';
import type { AuthorityStatus } from '../documents/statuses.js';
import { Tenant } from '../entities/tenant.entity.js';
import type { StoredAttempt } from './rebuild.js';

export interface OpenRecovery {
  readonly id: string;
  /** Documents that were sent later may be missing from this database. */
  readonly since: Date;
  readonly beganAt: Date;
  readonly endedAt: Date | null;
}

export async function beginRecovery(tx: EntityManager, since: Date | null): Promise<void> {
  await tx.query('SELECT begin_recovery($1)', [since]);
}

// Includes ended recoveries because their found documents may still need a decision.
const READ_LATEST = /* sql */ `
  SELECT id, since, began_at AS "beganAt", ended_at AS "endedAt" FROM recovery
   ORDER BY ended_at IS NULL DESC, began_at DESC LIMIT 1`;

/** Reads the open recovery, or else the latest one. Returns null if there has never been one. */
export async function readLatestRecovery(tx: EntityManager): Promise<OpenRecovery | null> {
  const [latest = null] = await tx.query<OpenRecovery[]>(READ_LATEST);
  return latest;
}

export interface SearchScope extends Taxpayer {
  readonly environment: Environment;
  /** Whether the tenant has ever sent documents in this environment. If so, the environment must be searched. */
  readonly isUsed: boolean;
  /** First send of an unsettled call. */
  readonly firstSentAt: Date | null;
}

const SCOPES = /* sql */ `
  SELECT o.tenant_id AS "tenantId", e.environment, n.on_behalf_of AS "onBehalfOf",
         EXISTS (SELECT FROM tenant_queue l WHERE l.tenant_id = o.tenant_id AND l.environment = e.environment) AS "isUsed",
         (SELECT min(s.sent_at) FROM authority_submission s
           WHERE s.tenant_id = o.tenant_id AND s.environment = e.environment AND s.state IN ('sending', 'unknown')
         ) AS "firstSentAt"
    FROM tenant o
   CROSS JOIN unnest(ARRAY['sandbox', 'production']) AS e (environment)
   CROSS JOIN LATERAL (
     SELECT $2::text AS on_behalf_of
      UNION
     SELECT t.on_behalf_of FROM document_transaction t
      WHERE t.tenant_id = o.tenant_id AND t.environment = e.environment) n
   WHERE o.tenant_id = $1 AND n.on_behalf_of IS NOT NULL
   ORDER BY e.environment, n.on_behalf_of`;

export async function readSearchScopes(tx: EntityManager, tenantId: string): Promise<SearchScope[]> {
  const tenant = await tx.findOneByOrFail(Tenant, { tenantId });
  return tx.query<SearchScope[]>(SCOPES, [tenantId, findOnBehalfOf(tenant)]);
}

/** A document that a search found at the authority. */
export interface NewFound {
  readonly authorityUuid: string;
  readonly submissionUid: string;
  readonly supplierTin: string;
  readonly documentType: DocumentType | null;
  readonly referenceId: string;
  readonly authorityStatus: AuthorityStatus | null;
  readonly issuedAt: Date | null;
  readonly receivedAt: Date | null;
}

// Excludes documents that belong to an attempt, and keeps an operator's decision.
const STORE_FOUND = /* sql */ `
  INSERT INTO found_document
    (environment, authority_uuid, tenant_id, submission_uid, supplier_tin, document_type, reference_id, authority_status,
     issued_at, received_at, found_at)
  SELECT $2, n."authorityUuid", $1, n."submissionUid", n."supplierTin", n."documentType", n."referenceId",
         n."authorityStatus", n."issuedAt", n."receivedAt", service_now()
    FROM jsonb_to_recordset($3::jsonb) AS n (
      "authorityUuid" text, "submissionUid" text, "supplierTin" text, "documentType" text, "referenceId" text,
      "authorityStatus" text, "issuedAt" timestamptz, "receivedAt" timestamptz)
   WHERE NOT EXISTS (SELECT FROM document_transaction t
                      WHERE t.environment = $2 AND t.authority_uuid = n."authorityUuid")
  ON CONFLICT (environment, authority_uuid) DO UPDATE SET authority_status = excluded.authority_status`;

export async function storeFound(
  tx: EntityManager,
  { tenantId, environment }: { tenantId: string; environment: Environment },
  found: readonly NewFound[],
): Promise<void> {
  await tx.query(STORE_FOUND, [tenantId, environment, JSON.stringify(found)]);
}

/** A found document that still needs a decision. */
export interface FoundRow extends NewFound {
  readonly tenantId: string;
  readonly environment: Environment;
  readonly state: 'missing' | 'disputed';
}

const FOUND_COLUMNS = /* sql */ `
  f.tenant_id AS "tenantId", f.environment, f.authority_uuid AS "authorityUuid", f.submission_uid AS "submissionUid",
  f.supplier_tin AS "supplierTin", f.document_type AS "documentType", f.reference_id AS "referenceId",
  f.authority_status AS "authorityStatus", f.issued_at AS "issuedAt", f.received_at AS "receivedAt", f.state`;

const READ_OPEN = /* sql */ `
  SELECT ${FOUND_COLUMNS} FROM found_document f
   WHERE f.state IN ('missing', 'disputed') AND ($1::uuid IS NULL OR f.tenant_id = $1)
   ORDER BY f.tenant_id, f.environment, f.document_type, f.reference_id, f.received_at, f.authority_uuid`;

export function readOpenFound(tx: EntityManager, tenantId: string | null): Promise<FoundRow[]> {
  return tx.query<FoundRow[]>(READ_OPEN, [tenantId]);
}

const READ_ONE = /* sql */ `
  SELECT ${FOUND_COLUMNS} FROM found_document f
   WHERE f.authority_uuid = $1 AND f.state IN ('missing', 'disputed')`;

export async function readFound(tx: EntityManager, authorityUuid: string): Promise<FoundRow | null> {
  const [found = null] = await tx.query<FoundRow[]>(READ_ONE, [authorityUuid]);
  return found;
}

/** An attempt without an outcome that has the number of a found document. */
export interface UnsettledAttempt extends StoredAttempt {
  readonly tenantId: string;
  readonly transactionId: string;
  readonly environment: Environment;
  readonly onBehalfOf: string;
  readonly supplierTin: string;
  readonly documentType: DocumentType;
  readonly referenceId: string;
  readonly version: number;
}

const ATTEMPT_COLUMNS = /* sql */ `
  t.tenant_id AS "tenantId", t.id AS "transactionId", t.environment, t.on_behalf_of AS "onBehalfOf",
  split_part(t.on_behalf_of, ':', 1) AS "supplierTin", t.document_type AS "documentType",
  t.reference_id AS "referenceId", t.version, t.payload, b.supplier,
  t.parent_authority_uuid AS "parentAuthorityUuid", convert_from(a.bytes, 'UTF8') AS text, a.issued_at AS "issuedAt"`;

const UNSETTLED = /* sql */ `
    FROM document_transaction t
    JOIN submission_batch b ON b.tenant_id = t.tenant_id AND b.id = t.submission_batch_id
    LEFT JOIN authority_document a ON a.tenant_id = t.tenant_id AND a.transaction_id = t.id
   WHERE t.submission_status IN ('Queued', 'Processing')`;

// Matches any tenant because several tenants may represent the same taxpayer.
const READ_ATTEMPTS = /* sql */ `
  SELECT ${ATTEMPT_COLUMNS} ${UNSETTLED}
     AND EXISTS (SELECT FROM found_document f
                  WHERE f.reference_id = t.reference_id AND f.environment = t.environment
                    AND f.supplier_tin = split_part(t.on_behalf_of, ':', 1) AND f.state IN ('missing', 'disputed')
                    AND ($1::uuid IS NULL OR f.tenant_id = $1))
   ORDER BY t.tenant_id, t.id`;

export function readUnsettledAttempts(tx: EntityManager, tenantId: string | null): Promise<UnsettledAttempt[]> {
  return tx.query<UnsettledAttempt[]>(READ_ATTEMPTS, [tenantId]);
}

const READ_ATTEMPT = /* sql */ `SELECT ${ATTEMPT_COLUMNS} ${UNSETTLED} AND t.id = $1`;

export async function readUnsettledAttempt(tx: EntityManager, transactionId: string): Promise<UnsettledAttempt | null> {
  const [attempt = null] = await tx.query<UnsettledAttempt[]>(READ_ATTEMPT, [transactionId]);
  return attempt;
}

// A dispatcher that has not detected the restore may be sending the document now.
const LOCK_ATTEMPT = /* sql */ `
  SELECT t.submission_status AS "submissionStatus", t.authority_submission_id AS "submissionId"
    FROM document_transaction t
   WHERE t.tenant_id = $1 AND t.id = $2 AND t.version = $3 AND t.submission_status IN ('Queued', 'Processing')
     AND NOT EXISTS (SELECT FROM authority_submission s
                      WHERE s.tenant_id = t.tenant_id AND s.id = t.authority_submission_id
                        AND s.state = 'sending' AND s.lease_until > service_now())
     FOR UPDATE`;

export interface LockedAttempt {
  readonly submissionStatus: 'Queued' | 'Processing';
  readonly submissionId: string | null;
}

/** Returns null if the attempt has changed or is being sent. */
export async function lockAttempt(
  tx: EntityManager,
  { tenantId, transactionId, version }: UnsettledAttempt,
): Promise<LockedAttempt | null> {
  const [locked = null] = await tx.query<LockedAttempt[]>(LOCK_ATTEMPT, [tenantId, transactionId, version]);
  return locked;
}

// A note that waited for its parent was sent with the uuid of that parent.
const PREPARE = /* sql */ `
  UPDATE document_transaction
     SET held_until = NULL, parent_authority_uuid = coalesce(parent_authority_uuid, $3),
         authority_submission_id = coalesce($4, authority_submission_id)
   WHERE tenant_id = $1 AND id = $2`;

const STORE_BYTES = /* sql */ `
  INSERT INTO authority_document
    (tenant_id, transaction_id, bytes, sha256, issued_at, version, may_have_arrived, response_lost, created_at,
     environment, supplier_tin, document_type, reference_id)
  VALUES ($1, $2, $3, $4, $5, $6, true, true, service_now(), $7, $8, $9, $10)
  ON CONFLICT (tenant_id, transaction_id) DO UPDATE
     SET bytes = excluded.bytes, sha256 = excluded.sha256, issued_at = excluded.issued_at, version = excluded.version,
         may_have_arrived = true, response_lost = true`;

export interface FoundBytes {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly issuedAt: Date;
  readonly version: string;
}

/** Replaces the bytes of an attempt with the authority's document. */
export async function storeFoundBytes(
  tx: EntityManager,
  attempt: UnsettledAttempt,
  { bytes, sha256, issuedAt, version }: FoundBytes,
): Promise<void> {
  const { tenantId, transactionId, environment, supplierTin, documentType, referenceId } = attempt;
  const identity = [environment, supplierTin, documentType, referenceId];
  await tx.query(STORE_BYTES, [tenantId, transactionId, bytes, sha256, issuedAt, version, ...identity]);
}

/** @param moveTo new call of an attempt that is already in another one */
export async function prepareAdoption(
  tx: EntityManager,
  { tenantId, transactionId }: UnsettledAttempt,
  { parentAuthorityUuid, moveTo }: { parentAuthorityUuid: string | null; moveTo: string | null },
): Promise<void> {
  await tx.query(PREPARE, [tenantId, transactionId, parentAuthorityUuid, moveTo]);
}

// A submission at the authority has only one call. Its next poll may be an hour away because its other documents have
// outcomes, so the poll is made due now.
const JOIN_SUBMISSION = /* sql */ `
  UPDATE authority_submission SET due_at = service_now(), polls = 0
   WHERE (tenant_id, id) = (
     SELECT tenant_id, id FROM authority_submission
      WHERE tenant_id = $1 AND environment = $2 AND submission_uid = $3 AND state = 'accepted'
      ORDER BY id LIMIT 1 FOR UPDATE)
  RETURNING id`;

const INSERT_SUBMISSION = /* sql */ `
  INSERT INTO authority_submission
    (tenant_id, id, environment, client_id, state, sent_at, sends, submission_uid, due_at, created_at, updated_at)
  VALUES ($1, gen_random_uuid(), $2, $5, 'accepted', $4, 1, $3, service_now(), service_now(), service_now())
  RETURNING id`;

/** Finds or adds the call that polls the submission of a found document. */
export async function findOrAddSubmission(
  tx: EntityManager,
  tenantId: string,
  {
    environment,
    submissionUid,
    submittedAt,
    clientId,
  }: FoundRow & { readonly submittedAt: Date; readonly clientId: string },
): Promise<string> {
  const [[joined]] = await tx.query<[{ id: string }[], number]>(JOIN_SUBMISSION, [
    tenantId,
    environment,
    submissionUid,
  ]);
  if (joined !== undefined) return joined.id;
  const parameters = [tenantId, environment, submissionUid, submittedAt, clientId];
  const [added] = await tx.query<{ id: string }[]>(INSERT_SUBMISSION, parameters);
  return added.id;
}

const END_EMPTIED = /* sql */ `
  UPDATE authority_submission s
     SET state = 'failed', owner = NULL, lease_until = NULL, due_at = NULL, updated_at = service_now(),
         failure = 'its documents were found after a restore'
   WHERE s.tenant_id = $1 AND s.id = $2 AND s.state IN ('sending', 'unknown')
     AND NOT EXISTS (SELECT FROM document_transaction t
                      WHERE t.tenant_id = s.tenant_id AND t.authority_submission_id = s.id
                        AND (t.submission_status = 'Processing' OR t.authority_status = 'Submitted'))`;

export async function endEmptied(tx: EntityManager, tenantId: string, submissionId: string): Promise<void> {
  await tx.query(END_EMPTIED, [tenantId, submissionId]);
}

const SET_STATE = /* sql */ `
  UPDATE found_document SET state = $3
   WHERE environment = $1 AND authority_uuid = ANY ($2::text[]) AND state IN ('missing', 'disputed')`;

export async function setFoundState(
  tx: EntityManager,
  environment: Environment,
  { uuids, state }: { uuids: readonly string[]; state: 'missing' | 'disputed' | 'adopted' | 'dismissed' },
): Promise<void> {
  await tx.query(SET_STATE, [environment, uuids, state]);
}

const SET_SEARCHED = /* sql */ `
  INSERT INTO recovery_tenant (recovery_id, tenant_id, searched_at) VALUES ($1, $2, $3)
  ON CONFLICT (recovery_id, tenant_id) DO UPDATE SET searched_at = excluded.searched_at`;

/** @param searchedAt start of the search */
export async function setSearched(
  tx: EntityManager,
  { recoveryId, tenantId, searchedAt }: { recoveryId: string; tenantId: string; searchedAt: Date },
): Promise<void> {
  await tx.query(SET_SEARCHED, [recoveryId, tenantId, searchedAt]);
}

export interface TenantProgress {
  readonly tenantId: string;
  readonly name: string;
  readonly searchedAt: Date | null;
  readonly releasedAt: Date | null;
  readonly missing: number;
  readonly disputed: number;
  readonly adopted: number;
  readonly dismissed: number;
}

const PROGRESS = /* sql */ `
  SELECT o.tenant_id AS "tenantId", o.name, x.searched_at AS "searchedAt", x.released_at AS "releasedAt",
         count(*) FILTER (WHERE f.state = 'missing')::integer AS missing,
         count(*) FILTER (WHERE f.state = 'disputed')::integer AS disputed,
         count(*) FILTER (WHERE f.state = 'adopted')::integer AS adopted,
         count(*) FILTER (WHERE f.state = 'dismissed')::integer AS dismissed
    FROM tenant o
    LEFT JOIN recovery_tenant x ON x.recovery_id = $1 AND x.tenant_id = o.tenant_id
    LEFT JOIN found_document f ON f.tenant_id = o.tenant_id
   WHERE $2::uuid IS NULL OR o.tenant_id = $2
   GROUP BY o.tenant_id, o.name, x.searched_at, x.released_at
   ORDER BY o.name, o.tenant_id`;

export function readProgress(
  tx: EntityManager,
  recoveryId: string,
  tenantId: string | null,
): Promise<TenantProgress[]> {
  return tx.query<TenantProgress[]>(PROGRESS, [recoveryId, tenantId]);
}
