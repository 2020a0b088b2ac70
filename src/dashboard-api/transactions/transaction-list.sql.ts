import type { Environment } from '../../config/environment.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import type { DocumentType } from '../../documents/simplified-document.js';
import { SUBMITTER_COLUMNS, type SubmitterFilter } from '../parameters.js';
import type { IdRange } from '../days.js';
import { buildActorSql } from '../shown-actor.js';
import {
  isCurrent,
  REPLACEABLE_STATUSES,
  SHOWN_STATUS_SQL,
  SHOWN_STATUSES,
  SHOWN_UUID_SQL,
  type ShownStatus,
} from './shown-status.js';

/** Conditions of a document list. All conditions must hold. */
export interface TransactionFilter {
  readonly types: readonly DocumentType[];
  readonly statuses: readonly ShownStatus[];
  /** Whether the list also contains replaced attempts. */
  readonly includesReplaced: boolean;
  /** Exact document number; null for all. */
  readonly referenceId: string | null;
  readonly submissionBatchId: string | null;
  /** Null for all submitters. */
  readonly by: SubmitterFilter | null;
  /** Only failed documents that need action, or only dismissed ones; null for all documents. */
  readonly action: FailureAction | null;
  /** Only failed documents with this cause; null for all causes. */
  readonly cause: string | null;
}

export const FAILURE_ACTIONS = ['needed', 'dismissed'] as const;
export type FailureAction = (typeof FAILURE_ACTIONS)[number];

export interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

// Columns that a page shows or filters by.
export const COLUMNS = /* sql */ `id, environment, document_id, submission_batch_id, document_type, reference_id, submission_status,
         authority_status, attempt, payload, buyer_tin, totals, authority_uuid, uuid_confirmed, created_at, validated_at, errors`;

/**
 * Merges the ranges of ix_document_transaction_list (one per type and status) in the order of their ids. Each range is
 * read only as far as the page needs it, and unwanted ranges are not opened, so the cost of a page does not depend on
 * the number of stored documents. The lower bound of ids is applied after the merge. With both bounds in each range,
 * the planner would expect few rows and sort them all.
 */
const RANGES = DOCUMENT_TYPES.flatMap((type) =>
  SHOWN_STATUSES.map(
    (status) => /* sql */ `
      (SELECT ${COLUMNS} FROM document_transaction AS each
        WHERE tenant_id = $1 AND environment = $2 AND document_type = '${type}' AND ${SHOWN_STATUS_SQL} = '${status}'
          ${REPLACEABLE_STATUSES.includes(status) ? `AND ($8::boolean OR ${isCurrent('each')})` : ''}
          AND id < $6 AND '${type}' = ANY ($3::text[]) AND '${status}' = ANY ($4::text[])
        ORDER BY id DESC LIMIT $7::integer)`,
  ),
);
const ROWS_BY_RANGES = /* sql */ `
  SELECT ${COLUMNS}
    FROM (SELECT ${COLUMNS} FROM (${RANGES.join('\n      UNION ALL')}) AS ranges ORDER BY id DESC LIMIT $7::integer) AS rows
   WHERE id >= $5`;

/** Builds SQL that tests the submitter of attempt `t`. A null kind matches all submitters. */
export function isBy(kind: string, id: string): string {
  return /* sql */ `(${kind}::text IS NULL OR EXISTS (
    SELECT FROM submission_batch b
     WHERE b.tenant_id = $1 AND b.id = t.submission_batch_id
       AND CASE ${kind}::text WHEN 'key' THEN b.api_key_id ELSE b.user_id END = ${id}::uuid))`;
}

const MATCHES = /* sql */ `
  t.environment = $2 AND t.document_type = ANY ($3::text[]) AND ${SHOWN_STATUS_SQL} = ANY ($4::text[])
  AND t.id >= $5 AND t.id < $6 AND ($8::boolean OR ${isCurrent('t')})`;

/** Builds SQL for failed documents, from a partial index. $9 and $10 are the submitter, $11 is the cause. */
function findFailed(condition: string): string {
  return /* sql */ `
  SELECT ${COLUMNS}
    FROM (SELECT transaction_id FROM failed_document
           WHERE tenant_id = $1 AND environment = $2 AND ${condition} AND transaction_id >= $5 AND transaction_id < $6
           ORDER BY transaction_id DESC) AS failed
   CROSS JOIN LATERAL (
     SELECT ${COLUMNS} FROM document_transaction WHERE tenant_id = $1 AND id = failed.transaction_id OFFSET 0) t
   WHERE ${MATCHES} AND ${isBy('$9', '$10')}
   ORDER BY failed.transaction_id DESC LIMIT $7::integer`;
}
const ROWS_BY_FAILURE = {
  needed: findFailed('dismissed_at IS NULL'),
  dismissed: findFailed('dismissed_at IS NOT NULL'),
} as const;
const ROWS_BY_CAUSE = {
  needed: findFailed('dismissed_at IS NULL AND cause = $11'),
  dismissed: findFailed('dismissed_at IS NOT NULL AND cause = $11'),
} as const;

/**
 * Maximum number of attempts of a key or user that a page checks, plus the rest of the last batch. If the page is not
 * full by then, it still has a next page.
 */
export const SCANNED_MAX = 2_000;

/**
 * Builds SQL that finds attempts of a key or user through their batches, newest batch first. An index of attempts by
 * key would be written with every status change; the index of batches is written once. The lower bound of ids is
 * applied after the index scan. Parameters: tenant, environment, types, statuses, range of ids, limit, key or user,
 * last attempt of the previous page, whether replaced attempts match.
 */
function findBy(kind: SubmitterFilter['kind']): string {
  return /* sql */ `
WITH cursor_row AS MATERIALIZED (
  SELECT submission_batch_id FROM document_transaction WHERE tenant_id = $1 AND id = $9::uuid),
batch AS MATERIALIZED (
  SELECT id, sum(document_count) OVER (ORDER BY id DESC) - document_count AS looked_before
    FROM (SELECT id, document_count FROM submission_batch
           WHERE tenant_id = $1 AND environment = $2 AND ${SUBMITTER_COLUMNS[kind]} = $8::uuid
             AND id <= least($6::uuid, (SELECT submission_batch_id FROM cursor_row))
           ORDER BY id DESC LIMIT ${SCANNED_MAX}) latest),
looked AS MATERIALIZED (
  SELECT b.id AS batch_id, t.id, t.document_type, t.status, t.document_id, t.attempt
    FROM batch b
   CROSS JOIN LATERAL (
     SELECT id, document_type, ${SHOWN_STATUS_SQL} AS status, document_id, attempt FROM document_transaction
      WHERE tenant_id = $1 AND submission_batch_id = b.id OFFSET 0) t
   WHERE b.looked_before < ${SCANNED_MAX} AND b.id >= $5
     AND ($9::uuid IS NULL OR b.id < (SELECT submission_batch_id FROM cursor_row) OR t.id < $9::uuid))
SELECT ARRAY(
         SELECT id FROM looked WHERE document_type = ANY ($3::text[]) AND status = ANY ($4::text[])
            AND ($10::boolean OR ${isCurrent('looked')})
          ORDER BY batch_id DESC, id DESC LIMIT $7::integer) AS ids,
       CASE WHEN (SELECT bool_or(looked_before >= ${SCANNED_MAX} AND id >= $5)
                         OR (count(*) = ${SCANNED_MAX} AND bool_and(id >= $5)) FROM batch)
            THEN (SELECT id FROM looked ORDER BY batch_id, id LIMIT 1) END AS "lookedUntil"`;
}

/** Attempts of a page, and the last checked attempt if the list may continue. */
export interface FoundBy {
  readonly ids: readonly string[];
  readonly lookedUntil: string | null;
}

export const FIND_BY = { key: findBy('key'), user: findBy('user') } as const;

const ROWS_BY_ID = /* sql */ `
  SELECT ${COLUMNS} FROM unnest($2::uuid[]) AS wanted (wanted_id)
   CROSS JOIN LATERAL (
     SELECT ${COLUMNS} FROM document_transaction WHERE tenant_id = $1 AND id = wanted_id OFFSET 0) t`;

export function pageFrom(rows: string, order = 't.id DESC'): string {
  return /* sql */ `
SELECT t.id AS "transactionId", t.document_id AS "documentId", t.submission_batch_id AS "submissionBatchId",
       t.document_type AS "documentType", t.reference_id AS "referenceId", ${SHOWN_STATUS_SQL} AS status, t.attempt,
       EXISTS (SELECT FROM document_transaction later
                WHERE later.tenant_id = $1 AND later.document_id = t.document_id AND later.attempt > t.attempt)
         AS "isSuperseded",
       t.payload->>'documentDate' AS "documentDate", t.payload#>>'{recipient,name}' AS "buyerName",
       t.buyer_tin AS "buyerTin", (t.totals->>'totalPayableAmount')::float8 AS "totalPayableAmount",
       ${SHOWN_UUID_SQL} AS "authorityUuid", t.created_at AS "createdAt", t.validated_at AS "validatedAt",
       jsonb_array_length(t.errors) AS "errorCount", t.errors#>>'{0,message}' AS "firstError",
       (SELECT ${buildActorSql('b')} FROM submission_batch b WHERE b.tenant_id = $1 AND b.id = t.submission_batch_id)
         AS "submittedBy"
  FROM (${rows}) t
 ORDER BY ${order}`;
}

const PAGE_BY_RANGES = pageFrom(ROWS_BY_RANGES);
const PAGE_BY_FAILURE = {
  needed: pageFrom(ROWS_BY_FAILURE.needed),
  dismissed: pageFrom(ROWS_BY_FAILURE.dismissed),
} as const;
const PAGE_BY_CAUSE = {
  needed: pageFrom(ROWS_BY_CAUSE.needed),
  dismissed: pageFrom(ROWS_BY_CAUSE.dismissed),
} as const;
export const PAGE_BY_ID = pageFrom(ROWS_BY_ID, 't.submission_batch_id DESC, t.id DESC');

interface PageParameters {
  readonly caller: { readonly tenantId: string; readonly environment: Environment };
  readonly filter: TransactionFilter;
  readonly range: IdRange;
  readonly limit: number;
}

/** Builds the statement of a page without a search, newest first. */
export function buildPageStatement({ caller, filter, range, limit }: PageParameters): Statement {
  const { types, statuses, includesReplaced, by, action, cause } = filter;
  const { tenantId, environment } = caller;
  const common = [tenantId, environment, types, statuses, range.first, range.end, limit, includesReplaced];
  if (action === null) return { text: PAGE_BY_RANGES, parameters: common };
  const parameters = [...common, by?.kind ?? null, by?.id ?? null];
  if (cause === null) return { text: PAGE_BY_FAILURE[action], parameters };
  return { text: PAGE_BY_CAUSE[action], parameters: [...parameters, cause] };
}
