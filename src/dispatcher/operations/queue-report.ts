import type { EntityManager } from 'typeorm';
import type { Environment } from '../../config/environment.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import { USUAL_OUTCOME_SECONDS } from '../../documents/statuses.js';
import { type DeadLetterReport, readDeadLetters } from '../../document-events/event-operations.js';
import {
  IS_ABANDONED,
  IS_TO_DECIDE,
  IS_UNDECIDED,
  IS_UUID_IN_DOUBT,
  HAS_NO_OUTCOME,
  MAY_HAVE_ARRIVED,
  listDecisions,
  type DecidableCall,
  type ReleaseDecision,
} from '../releases/release-decisions.js';
import { isOutageIn, type Outage, OUTAGE_CODES, readOutages, type StoppedPart } from './outages.js';

/** What holds the work of a tenant: a recovery, an outage, what is its own, or the step that it waits for. */
export const HOLD_CODES = [
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
export type HoldCode = (typeof HOLD_CODES)[number];

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
  /** Sent, and the response lost: documents that are looked up, and cancellations that are repeated. */
  readonly inDoubt: number;
  /** Sent, and the authority has not decided them yet. */
  readonly atAuthority: number;
  /** Of all these, without the held ones: accepted longer ago than an outcome usually takes. */
  readonly late: number;
  readonly oldestAt: Date | null;
  readonly blockedUntil: Date | null;
  readonly blockedReason: string | null;
  /** Null: nothing, its turn comes. */
  readonly heldBy: HoldCode | null;
  /** Null: since the oldest was accepted. */
  readonly heldSince: Date | null;
}

/** As the statement gives it. */
interface TenantQueueRow extends Omit<TenantQueueReport, 'heldBy' | 'heldSince'> {
  readonly blockedSince: Date | null;
  readonly recoverySince: Date | null;
  /** Cancellations that no dispatcher sends, because none has their client id. */
  readonly unattended: number;
}

/**
 * A call that is in doubt, or an accepted one with undecided documents that no dispatcher works on, or whose outcome the
 * authority has not shown for an hour.
 */
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
  /** Why it is listed. */
  readonly reason: string | null;
  /** When it is looked up next; null: never. */
  readonly nextLookAt: Date | null;
  /** What "queue release" can do with it now. */
  readonly decisions: readonly ReleaseDecision[];
}

/** As the statement gives it. */
type DoubtRow = Omit<DoubtReport, 'decisions'> & DecidableCall;

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

const IS_LATE = `created_at < service_now() - interval '${USUAL_OUTCOME_SECONDS} seconds'`;

// One range of ix_document_transaction_list for each tenant queue and type. An index of its own would be written with
// every document that the authority takes.
const SUBMITTED_DOCUMENTS = /* sql */ `
  tenant_queue l
   CROSS JOIN (VALUES ${DOCUMENT_TYPES.map((type) => `('${type}')`).join(', ')}) AS type (name)
   CROSS JOIN LATERAL (
     SELECT created_at, authority_submission_id FROM document_transaction
      WHERE tenant_id = l.tenant_id AND environment = l.environment AND document_type = type.name
        AND CASE WHEN authority_status IS NULL THEN submission_status ELSE authority_status END = 'Submitted'
     OFFSET 0) t`;

const AT_AUTHORITY = /* sql */ `
  SELECT l.tenant_id, l.environment, 'submit', 0, 0, 0, 0, count(*), count(*) FILTER (WHERE ${IS_LATE}), min(t.created_at), 0
    FROM ${SUBMITTED_DOCUMENTS}
   WHERE l.operation = 'submit'
   GROUP BY l.tenant_id, l.environment`;

// A call takes less than two minutes. After a lost or unclear response it is repeated.
const IS_IN_DOUBT = `created_at < service_now() - interval '2 minutes'`;

// Only the client id that submitted a document may cancel it. A dispatcher that is busy with other cancellations has
// made a call.
const IS_UNATTENDED = /* sql */ `
  (created_at < service_now() - interval '10 minutes'
   AND NOT EXISTS (SELECT FROM call_budget p
                    WHERE p.environment = c.environment AND p.api = 'cancel'
                      AND p.next_at > service_now() - interval '10 minutes'
                      AND p.client_id = (SELECT s.client_id FROM document_transaction t
                                           JOIN authority_submission s
                                             ON s.tenant_id = t.tenant_id AND s.id = t.authority_submission_id
                                          WHERE t.tenant_id = c.tenant_id AND t.id = c.transaction_id)))`;

// What is on its way is a sliver of what is stored, and has partial indexes: each part states its own condition.
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
  SELECT tenant_id, environment, operation, 0, 0, 0, 0, 0, 0, NULL, 0 FROM tenant_queue WHERE blocked_until > service_now()
  UNION ALL
${AT_AUTHORITY}
)
SELECT tenant.tenant_id AS "tenantId", tenant.name AS "tenantName", w.environment, w.operation,
       sum(w.waiting)::integer AS waiting, sum(w.held)::integer AS held, sum(w.processing)::integer AS processing,
       sum(w.in_doubt)::integer AS "inDoubt", sum(w.at_authority)::integer AS "atAuthority", sum(w.late)::integer AS late, min(w.oldest_at) AS "oldestAt",
       queue.blocked_until AS "blockedUntil", queue.since AS "blockedSince", queue.reason AS "blockedReason",
       held_by_recovery_since(tenant.tenant_id) AS "recoverySince", sum(w.unattended)::integer AS unattended
  FROM work w
  JOIN tenant ON tenant.tenant_id = w.tenant_id
  LEFT JOIN LATERAL (
    SELECT CASE WHEN l.blocked_until > service_now() THEN l.blocked_until END AS blocked_until,
           CASE WHEN l.blocked_until > service_now() THEN l.blocked_reason ELSE l.unsendable_reason END AS reason,
           CASE WHEN l.blocked_until > service_now() THEN l.blocked_since ELSE l.unsendable_since END AS since
      FROM tenant_queue l
     WHERE l.tenant_id = w.tenant_id AND l.environment = w.environment AND l.operation = w.operation) queue ON true
 GROUP BY tenant.tenant_id, tenant.name, w.environment, w.operation, queue.blocked_until, queue.reason, queue.since
 ORDER BY min(w.oldest_at) NULLS LAST, tenant.tenant_id`;

const DOUBT_FIELDS = /* sql */ `
  s.id, s.tenant_id, s.environment, s.client_id, s.state, s.sent_at, s.sends, s.failure, s.due_at,
  ${IS_TO_DECIDE} AS is_to_decide, ${MAY_HAVE_ARRIVED} AS may_have_arrived`;

const DOUBTS = /* sql */ `
SELECT s.id AS "submissionId", s.tenant_id AS "tenantId", o.name AS "tenantName", s.environment, s.sent_at AS "sentAt", s.sends,
       ARRAY(SELECT t.reference_id FROM document_transaction t
              WHERE t.tenant_id = s.tenant_id AND t.authority_submission_id = s.id
                AND ${IS_UNDECIDED}
              ORDER BY t.created_at, t.submission_batch_id, t.position) AS "referenceIds",
       CASE WHEN s.is_abandoned
            THEN concat_ws('; ', s.failure, CASE
                   WHEN s.due_at IS NULL THEN 'its client id ' || s.client_id || ' has not logged in for a day'
                   ELSE 'no dispatcher works on calls of the client id ' || s.client_id END)
            WHEN s.state = 'accepted' THEN 'no poll has shown an outcome since it was sent'
            ELSE s.failure END AS reason,
       s.state, s.is_to_decide AS "isToDecide", s.may_have_arrived AS "mayHaveArrived",
       s.is_abandoned AS "isAbandoned", CASE WHEN NOT s.is_abandoned THEN s.due_at END AS "nextLookAt",
       (SELECT coalesce(bool_or(t.authority_status = 'Submitted'), false) FROM document_transaction t
         WHERE t.tenant_id = s.tenant_id AND t.authority_submission_id = s.id) AS "isAccepted",
       EXISTS (SELECT FROM document_transaction t
                WHERE t.tenant_id = s.tenant_id AND t.authority_submission_id = s.id
                  AND ${IS_UUID_IN_DOUBT}) AS "isUuidInDoubt"
  FROM (SELECT ${DOUBT_FIELDS}, coalesce(${IS_ABANDONED}, false) AS is_abandoned
          FROM authority_submission s WHERE s.state = 'unknown'
        UNION ALL
        SELECT ${DOUBT_FIELDS}, true FROM authority_submission s
         CROSS JOIN LATERAL (
           SELECT FROM document_transaction t
            WHERE t.tenant_id = s.tenant_id AND t.authority_submission_id = s.id AND ${IS_UNDECIDED} LIMIT 1) undecided
         WHERE s.state = 'accepted' AND s.due_at < service_now() AND ${IS_ABANDONED}
        UNION ALL
        SELECT ${DOUBT_FIELDS}, false FROM authority_submission s
         WHERE (s.tenant_id, s.id) IN (
           SELECT l.tenant_id, t.authority_submission_id FROM ${SUBMITTED_DOCUMENTS}
            WHERE l.operation = 'submit')
           AND ${HAS_NO_OUTCOME} AND NOT coalesce(${IS_ABANDONED}, false)) s
  JOIN tenant o ON o.tenant_id = s.tenant_id
 ORDER BY s.state = 'accepted', NOT s.is_to_decide, s.sent_at, s.id LIMIT ${DOUBTS_MAX}`;

const CALL_BUDGETS = /* sql */ `
SELECT environment, api, client_id AS "clientId", next_at AS "nextAt",
       CASE WHEN blocked_until > service_now() THEN blocked_until END AS "blockedUntil",
       CASE WHEN blocked_until > service_now() THEN blocked_since END AS "blockedSince",
       CASE WHEN blocked_until > service_now() THEN blocked_reason END AS "blockedReason", failures
  FROM call_budget
 ORDER BY environment, api, client_id`;

/** The statements of the report, exported so that a spec can check their plans. */
export const QUEUE_STATEMENTS = [TENANT_QUEUES, CALL_BUDGETS, DOUBTS] as const;

export interface QueueReport {
  readonly outages: Outage[];
  readonly tenantQueues: TenantQueueReport[];
  readonly doubts: DoubtReport[];
  readonly callBudgets: CallBudgetReport[];
  readonly deadLetters: DeadLetterReport[];
}

/**
 * What waits for the authority or an operator and what holds it up, over all tenants; reads only, as the owner or the
 * operators' role.
 */
export async function readQueue(manager: EntityManager): Promise<QueueReport> {
  const queueRows = await manager.query<TenantQueueRow[]>(TENANT_QUEUES);
  const outages = await readOutages(manager);
  const callBudgets = await readCallBudgets(manager);
  const rows = await manager.query<DoubtRow[]>(DOUBTS);
  const doubts = rows.map(
    ({ state, isToDecide, isAbandoned, isAccepted, isUuidInDoubt, mayHaveArrived, ...doubt }) => ({
      ...doubt,
      decisions: listDecisions({ state, isToDecide, isAbandoned, isAccepted, isUuidInDoubt, mayHaveArrived }),
    }),
  );
  const tenantQueues = queueRows.map(({ blockedSince, recoverySince, unattended, ...row }) => ({
    ...row,
    ...findHold({ ...row, blockedSince, recoverySince, unattended }, outages),
  }));
  return { outages, tenantQueues, doubts, callBudgets, deadLetters: await readDeadLetters(manager) };
}

type Hold = Pick<TenantQueueReport, 'heldBy' | 'heldSince'>;

/** What ends for all at the same time is an outage, not what the tenant's own queue was blocked for because of it. */
const OF_ALL: readonly string[] = ['authority_unavailable', 'call_budget'];

function findHold(row: TenantQueueRow, outages: readonly Outage[]): Hold {
  // Until it ends nothing else matters: the dispatchers do nothing for the tenant.
  if (row.recoverySince !== null) return { heldBy: 'recovery', heldSince: row.recoverySince };
  const own = HOLD_CODES.find((code) => code === row.blockedReason) ?? null;
  if (own !== null && !OF_ALL.includes(own)) return { heldBy: own, heldSince: row.blockedSince };
  const outage = outages.find((each) => isOutageIn(each, row.environment) && each.stops.includes(findStep(row)));
  if (outage !== undefined) return { heldBy: outage.code, heldSince: outage.since };
  if (own !== null) return { heldBy: own, heldSince: row.blockedSince };
  return { heldBy: findStepHold(row), heldSince: null };
}

function findStep({ operation, waiting, processing, held, inDoubt, atAuthority }: TenantQueueRow): StoppedPart {
  if (operation === 'cancel') return 'cancel';
  const isSending = waiting + processing > 0 || (held > 0 && inDoubt + atAuthority === 0);
  return isSending ? 'send' : 'outcome';
}

function findStepHold(row: TenantQueueRow): HoldCode | null {
  const { waiting, processing, held, inDoubt, atAuthority, unattended } = row;
  if (unattended > 0) return 'other_client_id';
  if (waiting + processing > 0) return null;
  if (inDoubt > 0) return 'in_doubt';
  if (atAuthority > 0) return 'at_authority';
  return held > 0 ? 'parent' : null;
}

/** The call budgets alone. */
export function readCallBudgets(manager: EntityManager): Promise<CallBudgetReport[]> {
  return manager.query<CallBudgetReport[]>(CALL_BUDGETS);
}
