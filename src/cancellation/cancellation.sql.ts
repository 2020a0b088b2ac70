import type { DataSource } from 'typeorm';
import type { Caller } from '../database/in-tenant.js';
import type { AuthorityStatus, SubmissionStatus } from '../documents/statuses.js';
import type { ReadRequest } from '../idempotency/decision.js';

export interface CancellableDocument {
  readonly documentId: string;
  readonly transactionId: string;
  readonly submissionStatus: SubmissionStatus;
  readonly authorityStatus: AuthorityStatus | null;
  /** ISO 8601; the submission time while the validation time is unknown. */
  readonly validatedAt: string | null;
  readonly cancellationUnderWay: string | null;
  /** ISO 8601; when the authority refused a cancellation as too late. */
  readonly windowClosedAt: string | null;
  /** referenceIds of its open credit notes (docs/rules.md#credit-notes). */
  readonly referencingDocuments: string[];
}

export type ReadForCancel = ReadRequest & {
  readonly tin: string | null;
  /** Null if the document does not exist or the request has no id. */
  readonly document: CancellableDocument | null;
};

const READ = /* sql */ `
  SELECT now, body_hash, response_status, response, tin, document FROM read_for_cancel($1, $2, $3, $4)`;

/** Reads the data for deciding a cancel, in one snapshot. */
export async function readForCancel(
  dataSource: DataSource,
  { tenantId, environment }: Caller,
  { key, documentId }: { key: string; documentId: string | null },
): Promise<ReadForCancel> {
  const [read] = await dataSource.query<ReadForCancel[]>(READ, [tenantId, environment, key, documentId]);
  return read;
}
