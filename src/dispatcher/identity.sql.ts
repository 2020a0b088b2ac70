import type { EntityManager } from 'typeorm';
import type { Environment } from '../config/environment.js';
import type { DocumentIdentity } from './document-identity.js';

/**
 * Whether another attempt, of whatever tenant, has the identity of document `a` too: only among documents that were
 * built before no two attempts could have one.
 */
export const HAS_IDENTITY_CONFLICT = /* sql */ `
  EXISTS (SELECT FROM authority_document r
           WHERE r.environment = a.environment AND r.supplier_tin = a.supplier_tin
             AND r.document_type = a.document_type AND r.reference_id = a.reference_id AND r.issued_at = a.issued_at
             AND (r.tenant_id, r.transaction_id) <> (a.tenant_id, a.transaction_id))`;

/** What an attempt was built as. */
export interface BuiltIdentity extends DocumentIdentity {
  readonly hasRival: boolean;
  /** Whether the response to one of its calls was lost: a document that the authority had before may be its own. */
  readonly isResponseLost: boolean;
}

const READ = /* sql */ `
  SELECT a.document_type AS "documentType", a.reference_id AS "referenceId", a.supplier_tin AS "supplierTin",
         a.issued_at AS "issuedAt", a.answer_lost OR s.sends > 1 AS "isResponseLost", ${HAS_IDENTITY_CONFLICT} AS "hasRival"
    FROM authority_document a
    JOIN document_transaction t ON t.tenant_id = a.tenant_id AND t.id = a.transaction_id
    JOIN authority_submission s ON s.tenant_id = t.tenant_id AND s.id = t.authority_submission_id
   WHERE a.tenant_id = $1 AND a.transaction_id = $2`;

/** An attempt that is in a call. */
export interface AttemptKey {
  readonly tenantId: string;
  readonly transactionId: string;
}

export async function readIdentity(tx: EntityManager, { tenantId, transactionId }: AttemptKey): Promise<BuiltIdentity> {
  const [identity] = await tx.query<BuiltIdentity[]>(READ, [tenantId, transactionId]);
  if (identity === undefined) throw new Error(`Transaction ${transactionId} is in no call, or was never built`);
  return identity;
}

const OWNED_UUIDS = /* sql */ `
  SELECT authority_uuid AS uuid FROM document_transaction WHERE environment = $1 AND authority_uuid = ANY ($2::text[])`;

/** Those of the authority's uuids that attempts have already, of whatever tenant. */
export async function readOwnedUuids(
  tx: EntityManager,
  environment: Environment,
  uuids: readonly string[],
): Promise<Set<string>> {
  if (uuids.length === 0) return new Set();
  const rows = await tx.query<{ uuid: string }[]>(OWNED_UUIDS, [environment, uuids]);
  return new Set(rows.map(({ uuid }) => uuid));
}

const IS_BUILT_AS = /* sql */ `SELECT is_built_as($1, $2, $3) AS "isSame"`;

/** Whether an attempt's bytes say what this text says, in whatever order and with however many decimals. */
export async function isBuiltAs(
  tx: EntityManager,
  { tenantId, transactionId }: AttemptKey,
  text: string,
): Promise<boolean> {
  // PostgreSQL takes no NUL in a text, and we never write one.
  if (text.includes('\0')) return false;
  const [{ isSame }] = await tx.query<{ isSame: boolean }[]>(IS_BUILT_AS, [tenantId, transactionId, text]);
  return isSame;
}
