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

/** Which attempts a list shows; all conditions hold together. */
export interface TransactionFilter {
  readonly types: readonly DocumentType[];
  readonly statuses: readonly ShownStatus[];
  /** Also attempts that a later one of their document has replaced. */
  readonly includesReplaced: boolean;
  /** Exact, as it was sent; null for any. */
  readonly referenceId: string | null;
  readonly submissionBatchId: string | null;
  /** Who submitted them; null for anyone. */
  readonly by: SubmitterFilter | null;
  /** Only failed documents: those that need action, or those that somebody dismissed; null for all documents. */
  readonly action: FailureAction | null;
  /** Of these only the ones that failed by this cause; null for any. */
  readonly cause: string | null;
}

export const FAILURE_ACTIONS = ['needed', 'dismissed'] as const;
export type FailureAction = (typeof FAILURE_ACTIONS)[number];

export interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

// What a page shows of a row, and what it is chosen by.
export const COLUMNS = /* sql */ `id, environment, document_id, submission_batch_id, document_type, reference_id, submission_status,
         authority_status, attempt, payload, buyer_tin, totals, authority_uuid, uuid_confirmed, created_at, validated_at, errors`;

/**
 * The ranges of ix_document_transaction_list, one for each type and status, merged in the order of their ids: each is
 * read only as far as the page needs it, and those that are not asked for are not opened. So a page costs the same
 * whatever is stored, before and behind it. What is older than the range's first id is left out of the merged page and
 * not of each range: with both bounds the planner thinks so few rows are left that it sorts them all.
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

/** What of an attempt its batch says; by nobody in particular when the kind is null. */
export function isBy(kind: string, id: string): string {
  return /* sql */ `(${kind}::text IS NULL OR EXISTS (
    SELECT FROM submission_batch b
     WHERE b.tenant_id = $1 AND b.id = t.submission_batch_id
       AND CASE ${kind}::text WHEN 'key' THEN b.api_key_id ELSE b.user_id END = ${id}::uuid))`;
}

const MATCHES = /* sql */ `
  t.environment = $2 AND t.document_type = ANY ($3::text[]) AND ${SHOWN_STATUS_SQL} = ANY ($4::text[])
  AND t.id >= $5 AND t.id < $6 AND ($8::boolean OR ${isCurrent('t')})`;

/**
 * Failed documents, by the index that holds only those. Their number bounds what the other filters look at. $9 and $10
 * who submitted them, $11 the cause.
 */
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
 * How many attempts of a key or a user are looked at for a page, the rest of the last batch included, so that a page
 * costs the same whatever they have sent. One that fewer rows than its limit were found for leads on to the next all
 * the same.
 */
export const SCANNED_MAX = 2_000;

/**
 * Which attempts of a key or a user fit, by their batches, the newest first; those of one batch stand together, which
 * is the order of the ids but for calls of the same millisecond. An index of attempts by key would be written with
 * every change of a status; that of batches is written once. As above, the older bound is judged behind the index. $1
 * tenant, $2 environment, $3 types, $4 statuses, $5 and $6 the range of ids, $7 limit, $8 the key or the user, $9 the
 * last attempt of the page before, $10 whether replaced attempts fit.
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

/** Which attempts a page has, and the last one that was looked at when there may be more behind it. */
export interface FoundBy {
  readonly ids: readonly string[];
  readonly lookedUntil: string | null;
}

/** One for each index of batches. */
export const FIND_BY = { key: findBy('key'), user: findBy('user') } as const;

/** $1 tenant, $2 the attempts. */
const ROWS_BY_ID = /* sql */ `
  SELECT ${COLUMNS} FROM unnest($2::uuid[]) AS wanted (wanted_id)
   CROSS JOIN LATERAL (
     SELECT ${COLUMNS} FROM document_transaction WHERE tenant_id = $1 AND id = wanted_id OFFSET 0) t`;

// A document has a later attempt if it was submitted again: a look into the index of attempts alone.
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

/** The statement that reads a page, the newest first: by the condition that leaves the fewest rows. */
export function buildPageStatement({ caller, filter, range, limit }: PageParameters): Statement {
  const { types, statuses, includesReplaced, by, action, cause } = filter;
  const { tenantId, environment } = caller;
  const common = [tenantId, environment, types, statuses, range.first, range.end, limit, includesReplaced];
  if (action === null) return { text: PAGE_BY_RANGES, parameters: common };
  const parameters = [...common, by?.kind ?? null, by?.id ?? null];
  if (cause === null) return { text: PAGE_BY_FAILURE[action], parameters };
  return { text: PAGE_BY_CAUSE[action], parameters: [...parameters, cause] };
}
