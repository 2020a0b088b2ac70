import type { EntityManager } from 'typeorm';
import type { Caller, TenantTransaction } from '../database/in-tenant.js';
import { type AuthorityStatus, cancellableUntil, type SubmissionStatus } from '../documents/statuses.js';

/** A document as its cancellation is decided; the row is locked. */
export interface CancellableDocument {
  readonly documentId: string;
  readonly transactionId: string;
  readonly submissionStatus: SubmissionStatus;
  readonly authorityStatus: AuthorityStatus | null;
  readonly validatedAt: Date | null;
  readonly cancellationUnderWay: string | null;
  /** referenceIds of the credit notes that refer to it and have not ended (D6). */
  readonly referencingDocuments: string[];
}

const LOCK = /* sql */ `
  SELECT id FROM document WHERE tenant_id = $1 AND environment = $2 AND id = $3 FOR UPDATE`;

const READ = /* sql */ `
  SELECT d.id AS "documentId", t.id AS "transactionId", t.submission_status AS "submissionStatus",
         t.authority_status AS "authorityStatus", t.validated_at AS "validatedAt",
         (SELECT c.id FROM document_cancellation c
           WHERE c.tenant_id = t.tenant_id AND c.transaction_id = t.id AND c.status IN ('Queued', 'Processing')
           LIMIT 1) AS "cancellationUnderWay",
         ARRAY(SELECT n.reference_id FROM document_transaction n
                 JOIN document nd ON nd.tenant_id = n.tenant_id AND nd.transaction_id = n.id AND nd.id = n.document_id
                WHERE n.tenant_id = t.tenant_id AND n.environment = t.environment
                  AND n.parent_reference_id IS NOT NULL
                  AND (n.parent_authority_uuid = t.authority_uuid
                       OR (n.parent_authority_uuid IS NULL AND n.parent_reference_id = t.reference_id))
                  AND n.submission_status <> 'SubmitFailed'
                  AND n.authority_status IS DISTINCT FROM 'Invalid' AND n.authority_status IS DISTINCT FROM 'Cancelled'
                ORDER BY n.id LIMIT 100) AS "referencingDocuments"
    FROM document d
    JOIN document_transaction t ON t.tenant_id = d.tenant_id AND t.id = d.transaction_id
   WHERE d.tenant_id = $1 AND d.environment = $2 AND d.id = $3`;

/** Locks a document of the tenant and environment, then reads it; null when there is none. */
export async function lockDocument(
  tx: EntityManager,
  { tenantId, environment }: Caller,
  documentId: string,
): Promise<CancellableDocument | null> {
  const locked = await tx.query<unknown[]>(LOCK, [tenantId, environment, documentId]);
  if (locked.length === 0) return null;
  const [document] = await tx.query<CancellableDocument[]>(READ, [tenantId, environment, documentId]);
  return document;
}

const STORE = /* sql */ `
  INSERT INTO document_cancellation
    (tenant_id, id, environment, document_id, transaction_id, reason, deadline_at, due_at, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $8)`;

export interface NewCancellation {
  readonly cancellationId: string;
  readonly document: CancellableDocument;
  readonly reason: string;
}

export async function storeCancellation(
  { tx, now }: TenantTransaction,
  { tenantId, environment }: Caller,
  { cancellationId, document, reason }: NewCancellation,
): Promise<void> {
  const deadline = cancellableUntil(document.validatedAt ?? now);
  await tx.query(STORE, [
    tenantId,
    cancellationId,
    environment,
    document.documentId,
    document.transactionId,
    reason,
    deadline,
    now,
  ]);
}
