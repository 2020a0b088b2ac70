import type { EntityManager } from 'typeorm';
import type { DocumentSummary } from '../../authority/wire.js';
import type { Environment } from '../../config/environment.js';
import { compareIdentity, type DocumentIdentity } from './document-identity.js';

export interface BuiltIdentity extends DocumentIdentity {
  /** Whether the response to a call was lost. An earlier document may then be a copy of this one. */
  readonly isResponseLost: boolean;
}

const READ = /* sql */ `
  SELECT a.document_type AS "documentType", a.reference_id AS "referenceId", a.supplier_tin AS "supplierTin",
         a.issued_at AS "issuedAt", a.response_lost OR s.sends > 1 AS "isResponseLost"
    FROM authority_document a
    JOIN document_transaction t ON t.tenant_id = a.tenant_id AND t.id = a.transaction_id
    JOIN authority_submission s ON s.tenant_id = t.tenant_id AND s.id = t.authority_submission_id
   WHERE a.tenant_id = $1 AND a.transaction_id = $2`;

export interface AttemptKey {
  readonly tenantId: string;
  readonly transactionId: string;
}

export async function readIdentity(tx: EntityManager, { tenantId, transactionId }: AttemptKey): Promise<BuiltIdentity> {
  const [identity] = await tx.query<BuiltIdentity[]>(READ, [tenantId, transactionId]);
  if (identity === undefined) throw new Error(`Transaction ${transactionId} is in no call, or was never built`);
  return identity;
}

export interface UuidOwner extends DocumentIdentity, AttemptKey {
  readonly authorityUuid: string;
}

const READ_OWNERS = /* sql */ `
  SELECT tenant_id AS "tenantId", id AS "transactionId", authority_uuid AS "authorityUuid",
         document_type AS "documentType", reference_id AS "referenceId",
         split_part(on_behalf_of, ':', 1) AS "supplierTin", issued_at AS "issuedAt"
    FROM document_transaction
   WHERE environment = $1 AND authority_uuid = ANY ($2::text[])`;

export async function readUuidOwners(
  tx: EntityManager,
  environment: Environment,
  uuids: readonly string[],
): Promise<Map<string, UuidOwner>> {
  if (uuids.length === 0) return new Map();
  const owners = await tx.query<UuidOwner[]>(READ_OWNERS, [environment, uuids]);
  return new Map(owners.map((owner) => [owner.authorityUuid, owner]));
}

const READ_CLAIMS = /* sql */ `${READ_OWNERS} AND authority_status = 'Submitted' AND NOT uuid_confirmed`;

const RELEASE_CLAIMS = /* sql */ `
  UPDATE document_transaction t SET authority_uuid = NULL
    FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS claim (tenant_id, id, uuid)
   WHERE t.tenant_id = claim.tenant_id AND t.id = claim.id AND t.authority_uuid = claim.uuid
     AND t.authority_status = 'Submitted' AND NOT t.uuid_confirmed`;

/** Removes unconfirmed uuids from attempts of any tenant if the authority shows other documents under them. */
export async function releaseWrongUuids(
  tx: EntityManager,
  environment: Environment,
  shown: readonly DocumentSummary[],
): Promise<void> {
  if (shown.length === 0) return;
  const uuids = shown.map(({ authorityUuid }) => authorityUuid);
  const claims = await tx.query<UuidOwner[]>(READ_CLAIMS, [environment, uuids]);
  const wrong = claims.filter((claim) =>
    shown.some((row) => row.authorityUuid === claim.authorityUuid && compareIdentity(claim, row) === 'different'),
  );
  if (wrong.length === 0) return;
  await tx.query(RELEASE_CLAIMS, [
    wrong.map(({ tenantId }) => tenantId),
    wrong.map(({ transactionId }) => transactionId),
    wrong.map(({ authorityUuid }) => authorityUuid),
  ]);
}

const CLEAR_UNCONFIRMED_UUIDS = /* sql */ `
  UPDATE document_transaction SET authority_uuid = NULL
   WHERE tenant_id = $1 AND id = ANY ($2::uuid[]) AND NOT uuid_confirmed`;

export async function clearUnconfirmedUuids(
  tx: EntityManager,
  tenantId: string,
  transactionIds: readonly string[],
): Promise<void> {
  await tx.query(CLEAR_UNCONFIRMED_UUIDS, [tenantId, transactionIds]);
}

const FORGET_UUIDS = /* sql */ `
  UPDATE document_transaction SET authority_uuid = NULL, uuid_confirmed = false
   WHERE tenant_id = $1 AND id = ANY ($2::uuid[]) AND authority_status = 'Submitted'`;

/** Removes the uuids of documents without an outcome, even those that a poll had confirmed. */
export async function forgetUuids(
  tx: EntityManager,
  tenantId: string,
  transactionIds: readonly string[],
): Promise<void> {
  await tx.query(FORGET_UUIDS, [tenantId, transactionIds]);
}

const IS_BUILT_AS = /* sql */ `SELECT is_built_as($1, $2, $3) AS "isSame"`;

/** Returns whether the string and the stored bytes are equal as JSON, with decimals compared by value. */
export async function isBuiltAs(
  tx: EntityManager,
  { tenantId, transactionId }: AttemptKey,
  text: string,
): Promise<boolean> {
  // PostgreSQL strings cannot contain NUL.
  if (text.includes('\0')) return false;
  const [{ isSame }] = await tx.query<{ isSame: boolean }[]>(IS_BUILT_AS, [tenantId, transactionId, text]);
  return isSame;
}
