import type { Environment } from '../../config/environment.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import type { DocumentType } from '../../documents/simplified-document.js';
import type { IdRange } from '../id-range.js';
import { SHOWN_STATUS_SQL, SHOWN_STATUSES, type ShownStatus } from './shown-status.js';

/** Which attempts a list shows; all conditions hold together. */
export interface TransactionFilter {
  readonly types: readonly DocumentType[];
  readonly statuses: readonly ShownStatus[];
  /** Exact, as it was sent; null for any. */
  readonly referenceId: string | null;
  readonly submissionBatchId: string | null;
}

export interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

// What a page shows of a row, and what it is chosen by.
const COLUMNS = /* sql */ `id, environment, document_id, submission_batch_id, document_type, reference_id, submission_status,
         authority_status, attempt, payload, buyer_tin, totals, authority_uuid, created_at, validated_at, errors`;

/**
 * The ranges of ix_document_transaction_list, one for each type and status, merged in the order of their ids: each is read
 * only as far as the page needs it, and those that are not asked for are not opened. So a page costs the same whatever is
 * stored, before and behind it. What is older than the range's first id is left out of the merged page and not of each
 * range: with both bounds the planner thinks so few rows are left that it sorts them all.
 */
const RANGES = DOCUMENT_TYPES.flatMap((type) =>
  SHOWN_STATUSES.map(
    (status) => /* sql */ `
      (SELECT ${COLUMNS} FROM document_transaction
        WHERE tenant_id = $1 AND environment = $2 AND document_type = '${type}' AND ${SHOWN_STATUS_SQL} = '${status}'
          AND id < $6 AND '${type}' = ANY ($3::text[]) AND '${status}' = ANY ($4::text[])
        ORDER BY id DESC LIMIT $7::integer)`,
  ),
);
const ROWS_BY_RANGES = /* sql */ `
  SELECT ${COLUMNS}
    FROM (SELECT ${COLUMNS} FROM (${RANGES.join('\n      UNION ALL')}) AS ranges ORDER BY id DESC LIMIT $7::integer) AS rows
   WHERE id >= $5`;

const MATCHES = /* sql */ `
  t.environment = $2 AND t.document_type = ANY ($3::text[]) AND ${SHOWN_STATUS_SQL} = ANY ($4::text[])
  AND t.id >= $5 AND t.id < $6`;

/** At most the documents of one call. OFFSET 0 keeps the planner from walking all ids in search of the batch. */
const ROWS_BY_BATCH = /* sql */ `
  SELECT ${COLUMNS} FROM (
    SELECT ${COLUMNS} FROM document_transaction WHERE tenant_id = $1 AND submission_batch_id = $8::uuid OFFSET 0) t
   WHERE ${MATCHES} ORDER BY t.id DESC LIMIT $7::integer`;

/** The attempts of one document of each type. */
const ROWS_BY_REFERENCE = /* sql */ `
  SELECT ${COLUMNS}
    FROM unnest($3::text[]) AS type
   CROSS JOIN LATERAL (
     SELECT id FROM document
      WHERE tenant_id = $1 AND environment = $2 AND document_type = type AND reference_id = $8::text OFFSET 0) AS d (wanted_id)
   CROSS JOIN LATERAL (
     SELECT ${COLUMNS} FROM document_transaction WHERE tenant_id = $1 AND document_id = d.wanted_id OFFSET 0) t
   WHERE ${MATCHES} AND ($9::uuid IS NULL OR t.submission_batch_id = $9::uuid)
   ORDER BY t.id DESC LIMIT $7::integer`;

/** One row of the list, as a page has it. */
export interface TransactionRow {
  readonly transactionId: string;
  readonly documentId: string;
  readonly submissionBatchId: string;
  readonly documentType: DocumentType;
  readonly referenceId: string;
  readonly status: ShownStatus;
  readonly attempt: number;
  /** Whether its document has been submitted again since. */
  readonly isSuperseded: boolean;
  readonly documentDate: string;
  /** Null of a consolidated document. */
  readonly buyerName: string | null;
  readonly buyerTin: string;
  readonly totalPayableAmount: number;
  readonly authorityUuid: string | null;
  readonly createdAt: Date;
  readonly validatedAt: Date | null;
  readonly errorCount: number;
  readonly firstError: string | null;
}

// A document has a later attempt if it was submitted again: a look into the index of attempts alone.
function pageFrom(rows: string): string {
  return /* sql */ `
SELECT t.id AS "transactionId", t.document_id AS "documentId", t.submission_batch_id AS "submissionBatchId",
       t.document_type AS "documentType", t.reference_id AS "referenceId", ${SHOWN_STATUS_SQL} AS status, t.attempt,
       EXISTS (SELECT FROM document_transaction later
                WHERE later.tenant_id = $1 AND later.document_id = t.document_id AND later.attempt > t.attempt)
         AS "isSuperseded",
       t.payload->>'documentDate' AS "documentDate", t.payload#>>'{recipient,name}' AS "buyerName",
       t.buyer_tin AS "buyerTin", (t.totals->>'totalPayableAmount')::float8 AS "totalPayableAmount",
       t.authority_uuid AS "authorityUuid", t.created_at AS "createdAt", t.validated_at AS "validatedAt",
       jsonb_array_length(t.errors) AS "errorCount", t.errors#>>'{0,message}' AS "firstError"
  FROM (${rows}) t
 ORDER BY t.id DESC`;
}

const PAGE_BY_RANGES = pageFrom(ROWS_BY_RANGES);
const PAGE_BY_BATCH = pageFrom(ROWS_BY_BATCH);
const PAGE_BY_REFERENCE = pageFrom(ROWS_BY_REFERENCE);

interface PageParameters {
  readonly caller: { readonly tenantId: string; readonly environment: Environment };
  readonly filter: TransactionFilter;
  readonly range: IdRange;
  readonly limit: number;
}

/** The statement that reads a page, the newest first: by the condition that leaves the fewest rows. */
export function pageOfRows({ caller, filter, range, limit }: PageParameters): Statement {
  const { types, statuses, referenceId, submissionBatchId } = filter;
  const common = [caller.tenantId, caller.environment, types, statuses, range.first, range.end, limit];
  if (referenceId !== null) {
    return { text: PAGE_BY_REFERENCE, parameters: [...common, referenceId, submissionBatchId] };
  }
  if (submissionBatchId !== null) return { text: PAGE_BY_BATCH, parameters: [...common, submissionBatchId] };
  return { text: PAGE_BY_RANGES, parameters: common };
}
