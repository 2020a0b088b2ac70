import { CREDITS_PER_CANCEL, CREDITS_PER_DOCUMENT } from '../../credits/prices.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import { SHOWN_STATUS_SQL, SHOWN_STATUSES, type ShownStatus } from '../transactions/shown-status.js';

const TYPES = DOCUMENT_TYPES.map((type) => `('${type}')`).join(', ');
const STATUSES = SHOWN_STATUSES.map((status) => `('${status}')`).join(', ');
const WAITING: readonly ShownStatus[] = ['Queued', 'Processing'];
const FAILED: readonly ShownStatus[] = ['Invalid', 'SubmitFailed'];

/** One range of ix_document_transaction_list: of `type.name` and `status.name`. */
const RANGE = /* sql */ `
  tenant_id = $1 AND environment = $2 AND document_type = type.name AND ${SHOWN_STATUS_SQL} = status.name`;

/** The days, each from its first id to the next one's; $3 their least ids and that of the day after them, in order. */
const DAYS = /* sql */ `
       (SELECT bound AS first, lead(bound) OVER (ORDER BY number) AS next, number
          FROM unnest($3::uuid[]) WITH ORDINALITY AS bounds (bound, number)) AS day`;

/**
 * $1 tenant, $2 environment, $3 the least ids of the days and of the one after them, in their order: how many attempts
 * of each day stand where. Each day, type and status is one range of the list's index, counted without the table.
 */
export const COUNT_DAYS = /* sql */ `
SELECT (day.number - 1)::integer AS day, status.name AS status, sum(counted.attempts)::integer AS attempts
  FROM ${DAYS}
 CROSS JOIN (VALUES ${TYPES}) AS type (name)
 CROSS JOIN (VALUES ${STATUSES}) AS status (name)
 CROSS JOIN LATERAL (
   SELECT count(*) AS attempts FROM document_transaction WHERE ${RANGE} AND id >= day.first AND id < day.next) counted
 WHERE day.next IS NOT NULL AND counted.attempts > 0
 GROUP BY day.number, status.name`;

export interface DayCountRow {
  /** Its position among the days, from 0. */
  readonly day: number;
  readonly status: ShownStatus;
  readonly attempts: number;
}

function merged(statuses: readonly ShownStatus[], order: 'ASC' | 'DESC', limit: string): string {
  const ranges = statuses.flatMap((status) =>
    DOCUMENT_TYPES.map(
      (type) => /* sql */ `
      (SELECT id FROM document_transaction
        WHERE tenant_id = $1 AND environment = $2 AND document_type = '${type}' AND ${SHOWN_STATUS_SQL} = '${status}'
        ORDER BY id ${order} LIMIT ${limit})`,
    ),
  );
  return `SELECT id FROM (${ranges.join(' UNION ALL')}) AS ranges ORDER BY id ${order} LIMIT ${limit}`;
}

/** $1 tenant, $2 environment: what has no outcome yet, whenever it was accepted. */
export const READ_WAITING = /* sql */ `
SELECT (SELECT count(*) FROM (VALUES ${TYPES}) AS type (name) CROSS JOIN (VALUES ('Queued')) AS status (name)
         CROSS JOIN LATERAL (SELECT FROM document_transaction WHERE ${RANGE}) t)::integer AS queued,
       (SELECT count(*) FROM document_transaction
         WHERE tenant_id = $1 AND environment = $2 AND submission_status = 'Queued' AND held_until IS NOT NULL)::integer
         AS held,
       processing.total::integer AS processing, processing.in_doubt::integer AS "inDoubt",
       oldest.id AS "oldestTransactionId", oldest.reference_id AS "oldestReferenceId",
       oldest.created_at AS "oldestCreatedAt", service_now() AS now
  FROM (SELECT count(*) AS total, count(*) FILTER (WHERE s.state = 'unknown') AS in_doubt
          FROM (VALUES ${TYPES}) AS type (name) CROSS JOIN (VALUES ('Processing')) AS status (name)
         CROSS JOIN LATERAL (
           SELECT authority_submission_id AS call_id FROM document_transaction WHERE ${RANGE} OFFSET 0) t
          LEFT JOIN LATERAL (
           SELECT state FROM authority_submission WHERE tenant_id = $1 AND id = t.call_id OFFSET 0) s ON true
       ) processing
  LEFT JOIN LATERAL (
    SELECT t.id, t.reference_id, t.created_at
      FROM (${merged(WAITING, 'ASC', '1')}) AS least
     CROSS JOIN LATERAL (
       SELECT id, reference_id, created_at FROM document_transaction
        WHERE tenant_id = $1 AND id = least.id OFFSET 0) t
    ) oldest ON true`;

export interface WaitingRow {
  readonly queued: number;
  readonly held: number;
  readonly processing: number;
  readonly inDoubt: number;
  readonly oldestTransactionId: string | null;
  readonly oldestReferenceId: string | null;
  readonly oldestCreatedAt: Date | null;
  readonly now: Date;
}

/**
 * $1 tenant, $2 environment, $3 failures to look at, $4 errors to tell: the most frequent, each with its latest words.
 */
export const READ_ERRORS = /* sql */ `
WITH latest AS MATERIALIZED (${merged(FAILED, 'DESC', '$3::integer')})
SELECT e.error->>'code' AS code, count(DISTINCT t.id)::integer AS documents,
       (array_agg(e.error ORDER BY t.id DESC))[1] AS latest, (array_agg(t.id ORDER BY t.id DESC))[1] AS "transactionId"
  FROM latest
 CROSS JOIN LATERAL (SELECT id, errors FROM document_transaction WHERE tenant_id = $1 AND id = latest.id OFFSET 0) t
 CROSS JOIN LATERAL jsonb_array_elements(t.errors) AS e (error)
 GROUP BY 1 ORDER BY documents DESC, code LIMIT $4::integer`;

export interface ErrorRow {
  readonly code: string;
  readonly documents: number;
  readonly latest: {
    readonly message: string;
    readonly hint: string | null;
    readonly pointer: string | null;
    readonly authorityCode: string | null;
  };
  readonly transactionId: string;
}

/**
 * The same parameters: credits spent of each day. Taken from what was accepted, which is found by its days; the ledger,
 * whose audit holds each entry to it, knows no environment and no day in its order.
 */
export const COUNT_CREDITS = /* sql */ `
SELECT (day.number - 1)::integer AS day, (batches.credits + cancellations.credits)::integer AS credits
  FROM ${DAYS}
 CROSS JOIN LATERAL (
   SELECT coalesce(sum(document_count), 0) * ${CREDITS_PER_DOCUMENT} AS credits FROM submission_batch
    WHERE tenant_id = $1 AND environment = $2 AND id >= day.first AND id < day.next) batches
 CROSS JOIN LATERAL (
   SELECT count(*) * ${CREDITS_PER_CANCEL} AS credits FROM document_cancellation
    WHERE tenant_id = $1 AND environment = $2 AND id >= day.first AND id < day.next) cancellations
 WHERE day.next IS NOT NULL`;

export interface DayCreditsRow {
  /** Its position among the days, from 0. */
  readonly day: number;
  readonly credits: number;
}
