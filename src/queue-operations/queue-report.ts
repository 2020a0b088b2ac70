import type { EntityManager } from 'typeorm';
import type { Environment } from '../config/environment.js';
import { type DeadLetterReport, readDeadLetters } from '../document-events/event-operations.js';

/** The work of one tenant in one environment, and what blocks it. */
export interface TenantQueueReport {
  readonly tenantId: string;
  readonly tenantName: string;
  readonly environment: Environment;
  readonly operation: 'submit' | 'cancel';
  /** Ready to be sent, or waiting for their next try. */
  readonly waiting: number;
  /** Credit notes that wait for their parent. */
  readonly held: number;
  /** In a call to the authority at this moment. */
  readonly processing: number;
  /** Sent, and the response lost: being looked up. */
  readonly inDoubt: number;
  readonly oldestAt: Date | null;
  readonly blockedUntil: Date | null;
  readonly blockedReason: string | null;
}

/** A call whose answer was lost. */
export interface DoubtReport {
  readonly submissionId: string;
  readonly tenantId: string;
  readonly tenantName: string;
  readonly environment: Environment;
  /** Of its first send. */
  readonly sentAt: Date;
  readonly sends: number;
  /** Numbers of its documents as they were accepted: the order in which --adopt takes uuids. */
  readonly referenceIds: string[];
  /** When it is looked up next; null: no more, a person decides ("queue release"). */
  readonly nextLookAt: Date | null;
}

/** The shared call budget of one API of the authority. */
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

// Those that a person must decide come first.
const DOUBTS_MAX = 200;

// What is on its way is a sliver of what is stored, and has partial indexes: each part states its own condition.
const TENANT_QUEUES = /* sql */ `
WITH work AS (
  SELECT tenant_id, environment, 'submit' AS operation,
         count(*) FILTER (WHERE NOT is_held) AS waiting, count(*) FILTER (WHERE is_held) AS held,
         0 AS processing, 0 AS in_doubt, min(created_at) AS oldest_at
    FROM (SELECT tenant_id, environment, created_at, false AS is_held
            FROM document_transaction WHERE submission_status = 'Queued' AND held_until IS NULL
           UNION ALL
          SELECT tenant_id, environment, created_at, true
            FROM document_transaction WHERE submission_status = 'Queued' AND held_until IS NOT NULL) queued
   GROUP BY tenant_id, environment
  UNION ALL
  SELECT s.tenant_id, s.environment, 'submit', 0, 0,
         count(*) FILTER (WHERE s.state = 'sending'), count(*) FILTER (WHERE s.state = 'unknown'), min(t.created_at)
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
         count(*) FILTER (WHERE status = 'Processing'), 0, min(created_at)
    FROM document_cancellation
   WHERE status IN ('Queued', 'Processing')
   GROUP BY tenant_id, environment
  UNION ALL
  SELECT tenant_id, environment, operation, 0, 0, 0, 0, NULL FROM dispatch_lane WHERE blocked_until > service_now()
)
SELECT tenant.tenant_id AS "tenantId", tenant.name AS "tenantName", w.environment, w.operation,
       sum(w.waiting)::integer AS waiting, sum(w.held)::integer AS held, sum(w.processing)::integer AS processing,
       sum(w.in_doubt)::integer AS "inDoubt", min(w.oldest_at) AS "oldestAt",
       lane.blocked_until AS "blockedUntil", lane.reason AS "blockedReason"
  FROM work w
  JOIN tenant ON tenant.tenant_id = w.tenant_id
  LEFT JOIN LATERAL (
    SELECT CASE WHEN l.blocked_until > service_now() THEN l.blocked_until END AS blocked_until,
           CASE WHEN l.blocked_until > service_now() THEN l.blocked_reason ELSE l.unsendable_reason END AS reason
      FROM dispatch_lane l
     WHERE l.tenant_id = w.tenant_id AND l.environment = w.environment AND l.operation = w.operation) lane ON true
 GROUP BY tenant.tenant_id, tenant.name, w.environment, w.operation, lane.blocked_until, lane.reason
 ORDER BY min(w.oldest_at) NULLS LAST, tenant.tenant_id`;

const DOUBTS = /* sql */ `
SELECT s.id AS "submissionId", s.tenant_id AS "tenantId", o.name AS "tenantName", s.environment, s.sent_at AS "sentAt", s.sends,
       ARRAY(SELECT t.reference_id FROM document_transaction t
              WHERE t.tenant_id = s.tenant_id AND t.authority_submission_id = s.id
                AND (t.submission_status = 'Processing' OR t.authority_status = 'Submitted')
              ORDER BY t.created_at, t.submission_batch_id, t.position) AS "referenceIds",
       s.next_look_at AS "nextLookAt"
  FROM authority_submission s JOIN tenant o ON o.tenant_id = s.tenant_id
 WHERE s.state = 'unknown'
 ORDER BY s.next_look_at IS NOT NULL, s.sent_at, s.id LIMIT ${DOUBTS_MAX}`;

const CALL_BUDGETS = /* sql */ `
SELECT environment, api, client_id AS "clientId", next_at AS "nextAt",
       CASE WHEN blocked_until > service_now() THEN blocked_until END AS "blockedUntil",
       CASE WHEN blocked_until > service_now() THEN blocked_since END AS "blockedSince",
       CASE WHEN blocked_until > service_now() THEN blocked_reason END AS "blockedReason", failures
  FROM authority_pace
 ORDER BY environment, api, client_id`;

/** Of the report, for who looks at their plans. */
export const QUEUE_STATEMENTS = [TENANT_QUEUES, CALL_BUDGETS, DOUBTS] as const;

export interface QueueReport {
  readonly lanes: TenantQueueReport[];
  readonly doubts: DoubtReport[];
  readonly paces: CallBudgetReport[];
  readonly deadLetters: DeadLetterReport[];
}

/**
 * What waits for the authority or an operator and what holds it up, over all tenants; reads only, as the owner or the
 * operators' role.
 */
export async function readQueue(manager: EntityManager): Promise<QueueReport> {
  const tenantQueues = await manager.query<TenantQueueReport[]>(TENANT_QUEUES);
  const paces = await readCallBudgets(manager);
  const doubts = await manager.query<DoubtReport[]>(DOUBTS);
  return { lanes: tenantQueues, doubts, paces, deadLetters: await readDeadLetters(manager) };
}

/** The call budgets alone. */
export function readCallBudgets(manager: EntityManager): Promise<CallBudgetReport[]> {
  return manager.query<CallBudgetReport[]>(CALL_BUDGETS);
}
