import type { EntityManager } from 'typeorm';
import { FAILURES_TO_OPEN } from '../../authority/call-budget.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import { buildWaitsForRecoverySql } from '../../recovery/waits.sql.js';
import { buildFloorSql } from '../queue/tenant-queues.js';
import { IS_TO_DECIDE } from '../queue/authority-submissions.sql.js';

// Limits the cost of a metric that is read every few seconds.
const DOCUMENTS_MAX = 10_000;

/** Condition on a tenant queue `q` whose wait only its organisation can end. The alerts exclude such queues. */
const WAITS_FOR_ORGANISATION = `coalesce(q.waiting_code IN ('not_appointed', 'supplier_refused'), false)`;

const countInQueues = (documents: string, queues = 'true'): string => /* sql */ `
  SELECT count(*)::integer FROM (
    SELECT FROM tenant_queue q CROSS JOIN LATERAL (${documents} LIMIT ${DOCUMENTS_MAX}) d
     WHERE q.operation = 'submit' AND q.environment = e.name AND ${queues} LIMIT ${DOCUMENTS_MAX}) counted`;

// The oldest document is the first index entry of a tenant queue. Documents that wait for a recovery report no age,
// because the operator already knows of the recovery.
const findOldestInQueues = (documents: string, queues = 'true'): string => /* sql */ `
  SELECT min(d.since) FROM tenant_queue q CROSS JOIN LATERAL (${documents} LIMIT 1) d
   WHERE q.operation = 'submit' AND q.environment = e.name AND ${queues}
     AND NOT ${buildWaitsForRecoverySql('q.tenant_id')}`;

// Starts at the floor, like claims. ORDER BY makes the planner use the index of the queue.
const QUEUED = /* sql */ `
  SELECT t.due_at AS since FROM document_transaction t
   WHERE t.tenant_id = q.tenant_id AND t.environment = q.environment AND t.submission_status = 'Queued'
     AND t.held_until IS NULL AND t.due_at >= ${buildFloorSql('q')}
   ORDER BY t.due_at, t.id`;

const HELD = /* sql */ `
  SELECT t.created_at AS since FROM document_transaction t
   WHERE t.tenant_id = q.tenant_id AND t.environment = q.environment AND t.submission_status = 'Queued'
     AND t.held_until IS NOT NULL
   ORDER BY t.parent_reference_id`;

// Ids follow the order of acceptance, and documents are sent in that order. The age starts at the send because
// documents wait for hours during an outage.
const SUBMITTED = /* sql */ `
  SELECT t.submitted_at AS since FROM document_transaction t
   WHERE t.tenant_id = q.tenant_id AND t.environment = q.environment AND t.document_type = type.name
     AND CASE WHEN t.authority_status IS NULL THEN t.submission_status ELSE t.authority_status END = 'Submitted'
   ORDER BY t.id`;

const TYPES = `(VALUES ${DOCUMENT_TYPES.map((type) => `('${type}')`).join(', ')}) AS type (name)`;

const selectInEachType = (documents: string, limit: number): string => /* sql */ `
  SELECT typed.since FROM ${TYPES} CROSS JOIN LATERAL (${documents} LIMIT ${limit}) typed`;

const countInCalls = (calls: string): string => /* sql */ `
  SELECT count(*)::integer AS documents, min(counted.sent_at) AS oldest_at FROM (
    SELECT s.sent_at FROM (${calls} LIMIT ${DOCUMENTS_MAX}) s
     CROSS JOIN LATERAL (
       SELECT FROM document_transaction t
        WHERE t.tenant_id = s.tenant_id AND t.authority_submission_id = s.id
          AND (t.submission_status = 'Processing' OR t.authority_status = 'Submitted') OFFSET 0) d
     LIMIT ${DOCUMENTS_MAX}) counted`;

const SENDING = /* sql */ `
  SELECT c.tenant_id, c.id, c.sent_at FROM authority_submission c
   WHERE c.state = 'sending' AND c.lease_until IS NOT NULL AND c.environment = e.name ORDER BY c.lease_until`;

const IN_DOUBT = /* sql */ `
  SELECT c.tenant_id, c.id, c.sent_at FROM authority_submission c
   WHERE c.state = 'unknown' AND c.environment = e.name ORDER BY c.sent_at`;

// Uses only indexes on unfinished work, so that the cost does not grow with the number of stored documents.
// $1 environments.
const QUEUE = /* sql */ `
  SELECT e.name AS environment, f.state, f.documents,
         greatest(0, extract(epoch FROM service_now() - f.oldest_at))::float8 AS "oldestSeconds"
    FROM unnest($1::text[]) AS e (name)
   CROSS JOIN LATERAL (
     SELECT 'queued' AS state, (${countInQueues(QUEUED, `NOT ${WAITS_FOR_ORGANISATION}`)}) AS documents,
            (${findOldestInQueues(QUEUED, `NOT ${WAITS_FOR_ORGANISATION}`)}) AS oldest_at
      UNION ALL
     SELECT 'waiting', (${countInQueues(QUEUED, WAITS_FOR_ORGANISATION)}), (${findOldestInQueues(QUEUED, WAITS_FOR_ORGANISATION)})
      UNION ALL
     SELECT 'held', (${countInQueues(HELD)}), (${findOldestInQueues(HELD)})
      UNION ALL
     SELECT 'sending', calls.documents, calls.oldest_at FROM (${countInCalls(SENDING)}) calls
      UNION ALL
     SELECT 'in_doubt', calls.documents, calls.oldest_at FROM (${countInCalls(IN_DOUBT)}) calls
      UNION ALL
     SELECT 'submitted', (${countInQueues(selectInEachType(SUBMITTED, DOCUMENTS_MAX))}),
            (${findOldestInQueues(selectInEachType(SUBMITTED, 1))})) f`;

export interface QueueRow {
  readonly environment: string;
  readonly state: string;
  readonly documents: number;
  readonly oldestSeconds: number | null;
}

export function readQueueFigures(tx: EntityManager, environments: readonly string[]): Promise<QueueRow[]> {
  return tx.query<QueueRow[]>(QUEUE, [environments]);
}

const BUDGET = /* sql */ `
  SELECT environment, api,
         greatest(0, extract(epoch FROM greatest(next_at, blocked_until) - service_now()))::float8 AS "waitSeconds",
         failures >= ${FAILURES_TO_OPEN} AS "isBreakerOpen",
         CASE WHEN blocked_until > service_now() THEN blocked_reason END AS "blockedReason"
    FROM call_budget WHERE client_id = ANY ($1::text[]) ORDER BY environment, api`;

export interface BudgetRow {
  readonly environment: string;
  readonly api: string;
  readonly waitSeconds: number;
  readonly isBreakerOpen: boolean;
  readonly blockedReason: string | null;
}

export function readBudgetFigures(tx: EntityManager, clientIds: readonly string[]): Promise<BudgetRow[]> {
  return tx.query<BudgetRow[]>(BUDGET, [clientIds]);
}

const CLOCKS = /* sql */ `
  SELECT e.name AS environment, c.difference_seconds AS "differenceSeconds"
    FROM unnest($1::text[]) AS e (name)
   CROSS JOIN LATERAL (
     SELECT difference_seconds FROM authority_clock
      WHERE environment = e.name AND measured_at <= service_now() ORDER BY measured_at DESC LIMIT 1) c`;

/** Reads by how many seconds the authority's clock is ahead. Environments without a measurement have no row. */
export function readClockDifferences(
  tx: EntityManager,
  environments: readonly string[],
): Promise<{ environment: string; differenceSeconds: number }[]> {
  return tx.query<{ environment: string; differenceSeconds: number }[]>(CLOCKS, [environments]);
}

const CALLS_TO_DECIDE = /* sql */ `
  SELECT e.name AS environment,
         (SELECT count(*)::integer FROM (
            SELECT FROM authority_submission s
             WHERE s.state = 'unknown' AND s.environment = e.name
               AND (${IS_TO_DECIDE}
                    OR s.client_id <> ALL ($2::text[]) AND s.due_at < service_now() - interval '5 minutes')
             ORDER BY s.sent_at LIMIT ${DOCUMENTS_MAX}) undecided) AS "toDecide"
    FROM unnest($1::text[]) AS e (name)`;

export function countCallsToDecide(
  tx: EntityManager,
  environments: readonly string[],
  clientIds: readonly string[],
): Promise<{ environment: string; toDecide: number }[]> {
  return tx.query<{ environment: string; toDecide: number }[]>(CALLS_TO_DECIDE, [environments, clientIds]);
}

const RECOVERY = /* sql */ `
  SELECT count(*)::integer AS "waitingTenants" FROM (
    SELECT FROM tenant t WHERE ${buildWaitsForRecoverySql('t.tenant_id')} LIMIT ${DOCUMENTS_MAX}) waiting`;

export async function countWaitsForRecovery(tx: EntityManager): Promise<number> {
  const [{ waitingTenants }] = await tx.query<[{ waitingTenants: number }]>(RECOVERY);
  return waitingTenants;
}

const LOW_CREDITS = /* sql */ `SELECT no_credits AS none, few_credits AS little FROM count_low_credits($1)`;

export async function countLowCredits(tx: EntityManager, little: number): Promise<{ none: number; little: number }> {
  const [counts] = await tx.query<[{ none: number; little: number }]>(LOW_CREDITS, [little]);
  return counts;
}

/** Exported so that a spec can check their plans. */
export const FIGURE_STATEMENTS = { QUEUE, BUDGET, CLOCKS, CALLS_TO_DECIDE, RECOVERY } as const;
