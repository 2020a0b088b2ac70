import type { BulkItemState, BulkJobItem } from '../../entities/bulk-job-item.entity.js';
import type { BulkJobStatus, BulkKind } from '../../entities/bulk-job.entity.js';
import type { Environment } from '../../config/environment.js';
import { SHOWN_STATUS_SQL } from '../transactions/shown-status.js';
import type { BulkJobDto } from './dto/bulk-job.dto.js';

/** Parameters: lease owner, lease in seconds. */
export const CLAIM_JOB = /* sql */ `SELECT tenant_id AS "tenantId", id FROM claim_bulk_job($1, $2)`;

export interface ClaimedJob {
  readonly tenantId: string;
  readonly id: string;
}

/** Reads a job if the caller still owns its lease. Parameters: tenant, job, lease owner. */
export const READ_LEASED = /* sql */ `
SELECT environment, kind, field, value, status, user_id AS "userId",
       (SELECT email FROM user_account u WHERE u.id = bulk_job.user_id) AS email
  FROM bulk_job
 WHERE tenant_id = $1 AND id = $2 AND lease_owner = $3 AND status IN ('checking', 'running')`;

export interface LeasedJob {
  readonly environment: Environment;
  readonly kind: BulkKind;
  readonly field: string | null;
  readonly value: string;
  readonly status: 'checking' | 'running';
  readonly userId: string;
  readonly email: string;
}

/** Parameters: tenant, job, state, limit. */
export const READ_OPEN_ITEMS = /* sql */ `
SELECT transaction_id AS "transactionId", document_id AS "documentId", attempt, state, body, tries
  FROM bulk_job_item
 WHERE tenant_id = $1 AND job_id = $2 AND state = $3 AND state IN ('waiting', 'ready')
 ORDER BY transaction_id LIMIT $4::integer`;

export type OpenItem = Pick<BulkJobItem, 'transactionId' | 'documentId' | 'attempt' | 'body' | 'tries'> & {
  readonly state: 'waiting' | 'ready';
};

/**
 * Stores the result of a document, unless another replica has stored it. Returns the status of the job, because a user
 * may have paused it. Parameters: tenant, job, attempt, previous state, new state, body, credits, problems, result id.
 */
export const SETTLE_ITEM = /* sql */ `
WITH settled AS (
  UPDATE bulk_job_item SET state = $5, body = $6, credits = $7::integer, problems = $8::jsonb, result_id = $9::uuid
   WHERE tenant_id = $1 AND job_id = $2 AND transaction_id = $3 AND state = $4)
SELECT status FROM bulk_job WHERE tenant_id = $1 AND id = $2`;

export interface SettledRow {
  readonly status: BulkJobStatus;
}

/** Parameters: tenant, job, attempt, state, number of failed tries, reason of the delay. */
export const DELAY_ITEM = /* sql */ `
UPDATE bulk_job_item SET tries = tries + $5::integer, problems = $6::jsonb
 WHERE tenant_id = $1 AND job_id = $2 AND transaction_id = $3 AND state = $4`;

/**
 * Releases the lease of a job. After its last document, the job is `checked` or `ended`. Parameters: tenant, job, lease
 * owner, seconds until the next turn, reason of a pause or null.
 */
export const RELEASE_JOB = /* sql */ `
UPDATE bulk_job job
   SET lease_owner = NULL, due_at = service_now() + make_interval(secs => $4),
       status = CASE WHEN $5::text IS NOT NULL THEN 'paused'
                     WHEN EXISTS (SELECT FROM bulk_job_item i
                                   WHERE i.tenant_id = $1 AND i.job_id = $2 AND i.state IN ('waiting', 'ready')
                                     AND i.state = CASE job.status WHEN 'checking' THEN 'waiting' ELSE 'ready' END)
                     THEN job.status
                     WHEN job.status = 'checking' THEN 'checked'
                     ELSE 'ended' END,
       pause_reason = $5
 WHERE tenant_id = $1 AND id = $2 AND lease_owner = $3 AND status IN ('checking', 'running')
RETURNING status`;

/** Parameters: tenant, job. */
export const STAMP_END = /* sql */ `
UPDATE bulk_job SET ended_at = service_now() WHERE tenant_id = $1 AND id = $2
RETURNING environment, user_id AS "userId",
          (SELECT email FROM user_account u WHERE u.id = bulk_job.user_id) AS email`;

export type EndedJob = Pick<LeasedJob, 'environment' | 'userId' | 'email'>;

const COUNTED = [
  'waiting',
  'ready',
  'refused',
  'done',
  'changed',
  'failed',
] as const satisfies readonly BulkItemState[];

const COUNTS = /* sql */ `
  SELECT count(*)::integer AS documents,
         jsonb_build_object(${COUNTED.map((state) => `'${state}', count(*) FILTER (WHERE i.state = '${state}')`).join(', ')}) AS counts,
         coalesce(sum(i.credits) FILTER (WHERE i.state = 'ready'), 0)::integer AS "requiredCredits",
         coalesce(sum(i.credits) FILTER (WHERE i.state = 'done'), 0)::integer AS "chargedCredits"
    FROM bulk_job_item i WHERE i.tenant_id = j.tenant_id AND i.job_id = j.id`;

const WAITS = /* sql */ `j.status IN ('checking', 'running') AND j.lease_owner IS NULL AND j.due_at > service_now()`;

function readJobs(condition: string): string {
  return /* sql */ `
SELECT j.id AS "jobId", j.kind, j.field, j.value, j.is_cut AS "isCut", j.status, j.pause_reason AS "pauseReason",
       CASE WHEN ${WAITS} THEN j.due_at END AS "waitsUntil",
       CASE WHEN ${WAITS} THEN (
         SELECT i.problems#>>'{0,message}' FROM bulk_job_item i
          WHERE i.tenant_id = j.tenant_id AND i.job_id = j.id AND i.problems <> '[]'
            AND i.state = CASE j.status WHEN 'checking' THEN 'waiting' ELSE 'ready' END
          ORDER BY i.transaction_id LIMIT 1) END AS "waitReason",
       j.created_at AS "createdAt", j.started_at AS "startedAt", j.ended_at AS "endedAt", counted.documents,
       counted.counts, counted."requiredCredits", counted."chargedCredits",
       (SELECT jsonb_build_object('kind', 'user', 'id', u.id, 'name', u.name, 'detail', u.email)
          FROM user_account u WHERE u.id = j.user_id) AS by
  FROM bulk_job j
 CROSS JOIN LATERAL (${COUNTS}) counted
 WHERE j.tenant_id = $1 AND j.environment = $2 AND ${condition}`;
}

/** Parameters: tenant, environment, job. */
export const READ_JOB = readJobs('j.id = $3');

/** Parameters: tenant, environment, last job of the previous page, limit. */
export const LIST_JOBS = `${readJobs('j.id < $3')} ORDER BY j.id DESC LIMIT $4::integer`;

export type JobRow = Omit<BulkJobDto, 'fieldName'>;

/** Lists documents with their current status. Parameters: tenant, job, last attempt of the previous page, limit. */
export const LIST_ITEMS = /* sql */ `
SELECT i.transaction_id AS "transactionId", i.document_id AS "documentId", i.document_type AS "documentType",
       i.reference_id AS "referenceId", i.state, i.credits, i.result_id AS "resultId",
       (SELECT coalesce(jsonb_agg(jsonb_build_object(
                 'field', problem->'field', 'message', problem->'message', 'hint', problem->'hint')), '[]')
          FROM jsonb_array_elements(i.problems) problem) AS problems,
       now.id AS "currentTransactionId", now.status
  FROM (SELECT transaction_id, document_id, document_type, reference_id, state, credits, result_id, problems
          FROM bulk_job_item WHERE tenant_id = $1 AND job_id = $2 AND transaction_id < $3
         ORDER BY transaction_id DESC LIMIT $4::integer) i
 CROSS JOIN LATERAL (
   SELECT t.id, ${SHOWN_STATUS_SQL} AS status
     FROM document d JOIN document_transaction t ON t.tenant_id = d.tenant_id AND t.id = d.transaction_id
    WHERE d.tenant_id = $1 AND d.id = i.document_id OFFSET 0) now
 ORDER BY i.transaction_id DESC`;

/** Parameters: tenant, environment, attempts. */
export const READ_SELECTED = /* sql */ `
SELECT t.id AS "transactionId", t.document_id AS "documentId", t.document_type AS "documentType",
       t.reference_id AS "referenceId", t.attempt
  FROM unnest($3::uuid[]) AS wanted (id)
 CROSS JOIN LATERAL (
   SELECT id, document_id, document_type, reference_id, attempt FROM document_transaction
    WHERE tenant_id = $1 AND environment = $2 AND id = wanted.id OFFSET 0) t`;

export type SelectedDocument = Pick<
  BulkJobItem,
  'transactionId' | 'documentId' | 'documentType' | 'referenceId' | 'attempt'
>;

/** Deletes all checked jobs except the newest. Parameters: tenant, environment, number of jobs to keep. */
export const FORGET_DRAFTS = /* sql */ `
DELETE FROM bulk_job WHERE tenant_id = $1 AND id IN (
  SELECT id FROM bulk_job
   WHERE tenant_id = $1 AND environment = $2 AND status = 'checked' ORDER BY id DESC OFFSET $3::integer)`;

/** Parameters: tenant, environment. */
export const COUNT_OPEN_JOBS = /* sql */ `
SELECT count(*)::integer AS jobs FROM bulk_job
 WHERE tenant_id = $1 AND environment = $2 AND status IN ('checking', 'running', 'paused')`;

/** Starts or continues a job. An unfinished check is finished first. Parameters: tenant, environment, job, user. */
export const START_JOB = /* sql */ `
UPDATE bulk_job job
   SET status = CASE WHEN EXISTS (SELECT FROM bulk_job_item i
                                   WHERE i.tenant_id = $1 AND i.job_id = $3 AND i.state = 'waiting')
                     THEN 'checking' ELSE 'running' END,
       pause_reason = NULL, user_id = $4, due_at = service_now(), lease_owner = NULL,
       started_at = CASE WHEN EXISTS (SELECT FROM bulk_job_item i
                                       WHERE i.tenant_id = $1 AND i.job_id = $3 AND i.state = 'waiting')
                         THEN NULL ELSE coalesce(started_at, service_now()) END
 WHERE tenant_id = $1 AND environment = $2 AND id = $3 AND status IN ('checked', 'paused')
   AND EXISTS (SELECT FROM bulk_job_item i
                WHERE i.tenant_id = $1 AND i.job_id = $3 AND i.state IN ('waiting', 'ready'))
RETURNING status`;

/** Parameters: tenant, environment, job, reason. */
export const PAUSE_JOB = /* sql */ `
UPDATE bulk_job SET status = 'paused', pause_reason = $4, lease_owner = NULL
 WHERE tenant_id = $1 AND environment = $2 AND id = $3 AND status IN ('checking', 'running')
RETURNING status`;

export interface ChangedJob {
  readonly status: BulkJobStatus;
}
