import type { DataSource } from 'typeorm';
import type { Caller } from '../database/in-tenant.js';
import type { AuthorityStatus, SubmissionStatus } from '../documents/statuses.js';
import type { ReadRequest } from '../idempotency/decision.js';

/** A document as its cancellation is decided. */
export interface CancellableDocument {
  readonly documentId: string;
  readonly transactionId: string;
  readonly submissionStatus: SubmissionStatus;
  readonly authorityStatus: AuthorityStatus | null;
  /** ISO 8601; the submission time while the validation time is unknown. */
  readonly validatedAt: string | null;
  readonly cancellationUnderWay: string | null;
  /** ISO 8601; when the authority refused a cancellation because its window was closed. */
  readonly windowClosedAt: string | null;
  /** referenceIds of the credit notes that refer to it and have not ended (docs/rules.md#credit-notes). */
  readonly referencingDocuments: string[];
}

export type ReadForCancel = ReadRequest & {
  /** The supplier's TIN. */
  readonly tin: string | null;
  /** Null if the tenant has no such document in the environment, or the request names none. */
  readonly document: CancellableDocument | null;
};

const READ = /* sql */ `
  SELECT now, body_hash, response_status, response, tin, document FROM read_for_cancel($1, $2, $3, $4)`;

/** Reads what a cancel is decided on, in one snapshot. */
export async function readForCancel(
  dataSource: DataSource,
  { tenantId, environment }: Caller,
  { key, documentId }: { key: string; documentId: string | null },
): Promise<ReadForCancel> {
  const [read] = await dataSource.query<ReadForCancel[]>(READ, [tenantId, environment, key, documentId]);
  return read;
}
