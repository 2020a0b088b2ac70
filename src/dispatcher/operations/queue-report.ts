import type { EntityManager } from 'typeorm';
import type { Environment } from '../../config/environment.js';
import { USUAL_OUTCOME_SECONDS } from '../../documents/statuses.js';
import { type DeadLetterReport, readDeadLetters } from '../../document-events/event-operations.js';
import { CALLS_IN_DOUBT, type CallInDoubt, readCallsInDoubt, SUBMITTED_DOCUMENTS } from '../releases/calls-in-doubt.js';
import { isOutageIn, type Outage, OUTAGE_CODES, readOutages, type StoppedPart } from './outages.js';

/** Why a tenant's work waits: a recovery, an outage, a reason of the tenant, or the next step. */
export const QUEUE_WAITING_CODES = [
  'recovery',
  ...OUTAGE_CODES,
  'not_appointed',
  'supplier_refused',
  'signing_certificate_expired',
  'signing_failed',
  'environment_not_configured',
  'other_client_id',
  'in_doubt',
  'at_authority',
  'parent',
] as const;
export type QueueWaitingCode = (typeof QUEUE_WAITING_CODES)[number];

export interface TenantQueueReport {
  readonly tenantId: string;
  readonly tenantName: string;
  readonly environment: Environment;
  readonly operation: 'submit' | 'cancel';
  readonly waiting: number;
  readonly held: number;
  readonly processing: number;
  /** Documents and cancellations that were sent without receiving a response. */
  readonly inDoubt: number;
  readonly atAuthority: number;
  /**
   * Documents that have waited longer than an outcome usually takes, except credit notes that wait for their parent.
   */
  readonly late: number;
  readonly oldestAt: Date | null;
  readonly waitingUntil: Date | null;
  /** Null if the work only waits for its turn in the queue. */
  readonly waitingCode: QueueWaitingCode | null;
  /** Null if the wait began when the oldest document was accepted. */
  readonly waitingSince: Date | null;
}

interface TenantQueueRow extends Omit<TenantQueueReport, 'waitingCode' | 'waitingSince'> {
  readonly queueCode: string | null;
  readonly queueSince: Date | null;
  readonly recoverySince: Date | null;
  /** Cancellations that no running dispatcher can send, because none uses their client id. */
  readonly unattended: number;
}

export interface CallBudgetReport {
  readonly environment: Environment;
  readonly api: string;
  readonly clientId: string;
  readonly nextAt: Date;
  readonly blockedUntil: Date | null;
  readonly blockedSince: Date | null;
  readonly blockedReason: string | null;
  readonly failures: number;
}

const IS_LATE = `created_at < service_now() - interval '${USUAL_OUTCOME_SECONDS} seconds'`;

const AT_AUTHORITY = /* sql */ `
  SELECT q.tenant_id, q.environment, 'submit', 0, 0, 0, 0, count(*), count(*) FILTER (WHERE ${IS_LATE}), min(t.created_at), 0
    FROM ${SUBMITTED_DOCUMENTS}
   WHERE q.operation = 'submit'
   GROUP BY q.tenant_id, q.environment`;

// A call takes less than two minutes, so an older call is in doubt.
const IS_IN_DOUBT = `created_at < service_now() - interval '2 minutes'`;

// A document can only be cancelled with the client id that submitted it. A dispatcher that is merely busy has made
// other cancellation calls.
const IS_UNATTENDED = /* sql */ `
  (created_at < service_now() - interval '10 minutes'
   AND NOT EXISTS (SELECT FROM call_budget p
                    WHERE p.environment = c.environment AND p.api = 'cancel'
                      AND p.next_at > service_now() - interval '10 minutes'
                      AND p.client_id = (SELECT s.client_id FROM document_transaction t
                                           JOIN authority_submission s
                                             ON s.tenant_id = t.tenant_id AND s.id = t.authority_submission_id
                                          WHERE t.tenant_id = c.tenant_id AND t.id = c.transaction_id)))`;

// Each part matches the condition of a partial index, because unfinished work is a small share of all rows.
const TENANT_QUEUES = /* sql */ `
WITH work AS (
  SELECT tenant_id, environment, 'submit' AS operation,
         count(*) FILTER (WHERE NOT is_held) AS waiting, count(*) FILTER (WHERE is_held) AS held,
         0 AS processing, 0 AS in_doubt, 0 AS at_authority, count(*) FILTER (WHERE NOT is_held AND ${IS_LATE}) AS late,
         min(created_at) AS oldest_at, 0 AS unattended
    FROM (SELECT tenant_id, environment, created_at, false AS is_held
            FROM document_transaction WHERE submission_status = 'Queued' AND held_until IS NULL
           UNION ALL
          SELECT tenant_id, environment, created_at, true
            FROM document_transaction WHERE submission_status = 'Queued' AND held_until IS NOT NULL) queued
   GROUP BY tenant_id, environment
  UNION ALL
  SELECT s.tenant_id, s.environment, 'submit', 0, 0,
         count(*) FILTER (WHERE s.state = 'sending'), count(*) FILTER (WHERE s.state = 'unknown'), 0,
         count(*) FILTER (WHERE ${IS_LATE}), min(t.created_at), 0
    FROM (SELECT tenant_id, environment, id, state
            FROM authority_submission WHERE state = 'sending' AND lease_until IS NOT NULL
           UNION ALL
          SELECT tenant_id, environment, id, state FROM authority_submission WHERE state = 'unknown') s
   CROSS JOIN LATERAL (
     SELECT created_at FROM document_transaction t
      WHERE t.tenant_id = s.tenant_id AND t.authority_submission_id = s.id AND t.submission_status = 'Processing'
      OFFSET 0) t
   GROUP BY s.tenant_id, s.environment
  UNION ALL
  SELECT tenant_id, environment, 'cancel', count(*) FILTER (WHERE status = 'Queued'), 0,
         count(*) FILTER (WHERE status = 'Processing' AND NOT ${IS_IN_DOUBT}),
         count(*) FILTER (WHERE status = 'Processing' AND ${IS_IN_DOUBT}), 0,
         count(*) FILTER (WHERE ${IS_LATE}), min(created_at), count(*) FILTER (WHERE status = 'Queued' AND ${IS_UNATTENDED})
    FROM document_cancellation c
   WHERE status IN ('Queued', 'Processing')
   GROUP BY tenant_id, environment
  UNION ALL
  SELECT tenant_id, environment, operation, 0, 0, 0, 0, 0, 0, NULL, 0 FROM tenant_queue WHERE waiting_until > service_now()
  UNION ALL
${AT_AUTHORITY}
)
SELECT tenant.tenant_id AS "tenantId", tenant.name AS "tenantName", w.environment, w.operation,
       sum(w.waiting)::integer AS waiting, sum(w.held)::integer AS held, sum(w.processing)::integer AS processing,
       sum(w.in_doubt)::integer AS "inDoubt", sum(w.at_authority)::integer AS "atAuthority", sum(w.late)::integer AS late, min(w.oldest_at) AS "oldestAt",
       queue.waiting_until AS "waitingUntil", queue.since AS "queueSince", queue.code AS "queueCode",
       waits_for_recovery_since(tenant.tenant_id) AS "recoverySince", sum(w.unattended)::integer AS unattended
  FROM work w
  JOIN tenant ON tenant.tenant_id = w.tenant_id
  LEFT JOIN LATERAL (
    SELECT CASE WHEN q.waiting_until > service_now() THEN q.waiting_until END AS waiting_until,
           CASE WHEN q.waiting_until > service_now() THEN q.waiting_code WHEN q.unconfigured_since IS NOT NULL THEN 'environment_not_configured' END AS code,
           CASE WHEN q.waiting_until > service_now() THEN q.waiting_since ELSE q.unconfigured_since END AS since
      FROM tenant_queue q
     WHERE q.tenant_id = w.tenant_id AND q.environment = w.environment AND q.operation = w.operation) queue ON true
 GROUP BY tenant.tenant_id, tenant.name, w.environment, w.operation, queue.waiting_until, queue.code, queue.since
 ORDER BY min(w.oldest_at) NULLS LAST, tenant.tenant_id`;

const CALL_BUDGETS = /* sql */ `
SELECT environment, api, client_id AS "clientId", next_at AS "nextAt",
       CASE WHEN blocked_until > service_now() THEN blocked_until END AS "blockedUntil",
       CASE WHEN blocked_until > service_now() THEN blocked_since END AS "blockedSince",
       CASE WHEN blocked_until > service_now() THEN blocked_reason END AS "blockedReason", failures
  FROM call_budget
 ORDER BY environment, api, client_id`;

/** Exported so that a spec can check the query plans. */
export const QUEUE_STATEMENTS = [TENANT_QUEUES, CALL_BUDGETS, CALLS_IN_DOUBT] as const;

export interface QueueReport {
  readonly outages: Outage[];
  readonly tenantQueues: TenantQueueReport[];
  readonly doubts: CallInDoubt[];
  readonly callBudgets: CallBudgetReport[];
  readonly deadLetters: DeadLetterReport[];
}

/**
 * Reads the unfinished work of all tenants and the reasons why it waits. Requires the role of the owner or
 * the operators.
 */
export async function readQueue(manager: EntityManager): Promise<QueueReport> {
  const queueRows = await manager.query<TenantQueueRow[]>(TENANT_QUEUES);
  const outages = await readOutages(manager);
  const callBudgets = await readCallBudgets(manager);
  const tenantQueues = queueRows.map(({ queueCode, queueSince, recoverySince, unattended, ...row }) => ({
    ...row,
    ...findWaiting({ ...row, queueCode, queueSince, recoverySince, unattended }, outages),
  }));
  const doubts = await readCallsInDoubt(manager);
  return { outages, tenantQueues, doubts, callBudgets, deadLetters: await readDeadLetters(manager) };
}

type Wait = Pick<TenantQueueReport, 'waitingCode' | 'waitingSince'>;

/** Outages that affect all tenants and end for all at the same time. */
const OF_ALL: readonly string[] = ['authority_unavailable', 'call_budget'];

function findWaiting(row: TenantQueueRow, outages: readonly Outage[]): Wait {
  // A recovery stops all work of the tenant.
  if (row.recoverySince !== null) return { waitingCode: 'recovery', waitingSince: row.recoverySince };
  const own = QUEUE_WAITING_CODES.find((code) => code === row.queueCode) ?? null;
  if (own !== null && !OF_ALL.includes(own)) return { waitingCode: own, waitingSince: row.queueSince };
  const outage = outages.find((each) => isOutageIn(each, row.environment) && each.stops.includes(findStep(row)));
  if (outage !== undefined) return { waitingCode: outage.code, waitingSince: outage.since };
  if (own !== null) return { waitingCode: own, waitingSince: row.queueSince };
  return { waitingCode: findStepWaiting(row), waitingSince: null };
}

function findStep({ operation, waiting, processing, held, inDoubt, atAuthority }: TenantQueueRow): StoppedPart {
  if (operation === 'cancel') return 'cancel';
  const isSending = waiting + processing > 0 || (held > 0 && inDoubt + atAuthority === 0);
  return isSending ? 'send' : 'outcome';
}

function findStepWaiting(row: TenantQueueRow): QueueWaitingCode | null {
  const { waiting, processing, held, inDoubt, atAuthority, unattended } = row;
  if (unattended > 0) return 'other_client_id';
  if (waiting + processing > 0) return null;
  if (inDoubt > 0) return 'in_doubt';
  if (atAuthority > 0) return 'at_authority';
  return held > 0 ? 'parent' : null;
}

export function readCallBudgets(manager: EntityManager): Promise<CallBudgetReport[]> {
  return manager.query<CallBudgetReport[]>(CALL_BUDGETS);
}
