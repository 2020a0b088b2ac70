import type { EntityManager } from 'typeorm';
import { RETRY_AFTER_SECONDS_MAX } from '../../authority/retry-after.js';
import type { Taxpayer } from '../../authority/tokens.js';
import type { Environment } from '../../config/environment.js';
import { findOnBehalfOf } from '../../documents/identity.js';
import { Tenant } from '../../entities/tenant.entity.js';
import { buildServedSql, IS_FOUND_AT_AUTHORITY } from '../../recovery/waits.sql.js';

export interface TenantQueue {
  readonly tenantId: string;
  readonly environment: Environment;
}

// A document may enter the queue with a past timestamp, because acceptance reads the clock before it commits.
const FLOOR_MARGIN = `interval '10 seconds'`;

/**
 * Builds the lower bound of a search in a tenant queue. After the clock was set back, the bound includes all documents.
 */
export function buildFloorSql(alias: string): string {
  return `least(${alias}.floor_due_at, service_now() - ${FLOOR_MARGIN})`;
}

// Reads the partial index of queued transactions, so that accepting a document does not update the tenant queue. OFFSET
// 0 prevents a join, which reads the whole queue while the statistics are outdated (measured: more than 10 s with
// 100,000 documents). The floor skips index entries of documents that have left the queue, which an old snapshot keeps
// alive. ORDER BY makes plans use this index even if they were made for an empty table.
const HAS_WORK = /* sql */ `
  EXISTS (SELECT FROM document_transaction t
           WHERE t.tenant_id = q.tenant_id AND t.environment = q.environment
             AND t.submission_status = 'Queued' AND t.held_until IS NULL
             AND t.due_at >= ${buildFloorSql('q')} AND t.due_at <= service_now()
             AND NOT ${IS_FOUND_AT_AUTHORITY} ORDER BY t.due_at OFFSET 0)`;

const HAS_OPEN_WORK = /* sql */ `
  q.operation = 'submit' AND q.environment = $1
  AND (q.waiting_until IS NULL OR q.waiting_until <= service_now()) AND ${buildServedSql('q.tenant_id')} AND ${HAS_WORK}`;

const FIND_WORK = /* sql */ `
  SELECT service_now() AS now WHERE EXISTS (SELECT FROM tenant_queue q WHERE ${HAS_OPEN_WORK})`;

/** Checks for work before a call slot is reserved. Returns the database's time, or null if there is no work. */
export async function findQueuedWork(tx: EntityManager, environment: Environment): Promise<Date | null> {
  const [work] = await tx.query<{ now: Date }[]>(FIND_WORK, [environment]);
  return work?.now ?? null;
}

/**
 * Tenants with fewer calls in progress come first, because one tenant with hanging calls could occupy every sender.
 */
const CALLS_IN_FLIGHT = 2;

const CLAIM = /* sql */ `
  WITH clock AS MATERIALIZED (SELECT service_now() AS now),
  busy AS MATERIALIZED (
    SELECT tenant_id FROM authority_submission
     WHERE environment = $1 AND state = 'sending' AND lease_until > (SELECT now FROM clock)
     GROUP BY tenant_id HAVING count(*) >= ${CALLS_IN_FLIGHT}),
  taken AS (
  SELECT q.tenant_id FROM tenant_queue q
   WHERE q.operation = 'submit' AND q.environment = $1
     AND (q.waiting_until IS NULL OR q.waiting_until <= (SELECT now FROM clock)) AND ${buildServedSql('q.tenant_id')}
     AND ${HAS_WORK}
   ORDER BY q.tenant_id IN (SELECT tenant_id FROM busy), q.served_at, q.tenant_id LIMIT 1 FOR UPDATE OF q SKIP LOCKED)
  SELECT (SELECT now FROM clock) AS now, tenant_id AS "tenantId" FROM taken`;

export interface ClaimedTenantQueue {
  readonly tenantQueue: TenantQueue;
  readonly now: Date;
}

/** Locks the least recently served tenant queue with work. The caller must then mark it as served. */
export async function claimTenantQueue(
  tx: EntityManager,
  environment: Environment,
): Promise<ClaimedTenantQueue | null> {
  const [taken] = await tx.query<{ now: Date; tenantId: string }[]>(CLAIM, [environment]);
  if (taken === undefined) return null;
  return { tenantQueue: { tenantId: taken.tenantId, environment }, now: taken.now };
}

/**
 * Stores the time of service and the new floor, which is the oldest row of the caller's `candidate`. $1 tenant, $2
 * environment, $3 now. The statement must start after the tenant queue was locked.
 */
export const MARK_SERVED = /* sql */ `
  UPDATE tenant_queue
     SET served_at = $3, floor_due_at = least((SELECT min(due_at) FROM candidate), $3::timestamptz - ${FLOOR_MARGIN})
   WHERE tenant_id = $1 AND environment = $2 AND operation = 'submit'`;

const MARK_SERVED_ONLY = /* sql */ `
  UPDATE tenant_queue SET served_at = $3 WHERE tenant_id = $1 AND environment = $2 AND operation = 'submit'`;

export async function markTenantQueueServed(
  tx: EntityManager,
  { tenantQueue, now }: ClaimedTenantQueue,
): Promise<void> {
  await tx.query(MARK_SERVED_ONLY, [tenantQueue.tenantId, tenantQueue.environment, now]);
}

const OLDEST_TAXPAYER = /* sql */ `
  SELECT tenant_id AS "tenantId", on_behalf_of AS "onBehalfOf" FROM document_transaction
   WHERE tenant_id = $1 AND environment = $2 AND submission_status = 'Queued' AND held_until IS NULL
   ORDER BY due_at, id LIMIT 1`;

export async function findOldestTaxpayer(
  tx: EntityManager,
  { tenantId, environment }: TenantQueue,
): Promise<Taxpayer | null> {
  const [taxpayer = null] = await tx.query<Taxpayer[]>(OLDEST_TAXPAYER, [tenantId, environment]);
  return taxpayer;
}

const RESET_FLOOR = /* sql */ `
  UPDATE tenant_queue SET floor_due_at = '-infinity'
   WHERE tenant_id = $1 AND operation = 'submit' AND floor_due_at > '-infinity'`;

/** Resets the floor because documents were queued again at their old position. */
export async function resetFloor(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.query(RESET_FLOOR, [tenantId]);
}

// Lowers floors because an acceptance that takes longer than the margin adds its document below the floor.
export const LOWER_FLOORS = /* sql */ `
  WITH queue AS MATERIALIZED (
    SELECT tenant_id, environment, floor_due_at FROM tenant_queue
     WHERE operation = 'submit' ORDER BY served_at LIMIT $1 FOR UPDATE SKIP LOCKED)
  UPDATE tenant_queue q
     SET floor_due_at = least(
           (SELECT min(t.due_at) FROM document_transaction t
             WHERE t.tenant_id = q.tenant_id AND t.environment = q.environment
               AND t.submission_status = 'Queued' AND t.held_until IS NULL), service_now() - ${FLOOR_MARGIN})
    FROM queue
   WHERE q.tenant_id = queue.tenant_id AND q.environment = queue.environment AND q.operation = 'submit'
     AND q.floor_due_at = queue.floor_due_at`;

/** Why a tenant queue waits, with its code in `waiting` (docs/rules.md#status-response). */
export interface QueueWait {
  readonly code:
    | 'not_appointed'
    | 'supplier_refused'
    | 'authority_unavailable'
    | 'call_budget'
    | 'signing_certificate_expired'
    | 'signing_failed';
  /** Delay after the first failure. Each further failure doubles it up to `secondsMax`. */
  readonly seconds: number;
  readonly secondsMax: number;
}

export const LONGEST_WAIT_SECONDS: Readonly<Record<QueueWait['code'], number>> = {
  not_appointed: 3_600,
  supplier_refused: 3_600,
  call_budget: RETRY_AFTER_SECONDS_MAX,
  authority_unavailable: 30,
  signing_certificate_expired: 60,
  signing_failed: 60,
};

const SET_WAITING = /* sql */ `
  UPDATE tenant_queue
     SET failures = failures + 1,
         waiting_until = $3::timestamptz + make_interval(secs => least($6::float8, $5::float8 * power(2, least(failures, 20)))),
         waiting_since = CASE WHEN waiting_code = $4 THEN waiting_since ELSE $3 END,
         waiting_code = $4
   WHERE tenant_id = $1 AND environment = $2 AND operation = 'submit'`;

// Expects the tenant queues as `waiting`. $1 environment, $2 code, $3 seconds.
const SET_LISTED_WAITING = /* sql */ `
  UPDATE tenant_queue q
     SET waiting_until = service_now() + make_interval(secs => $3),
         waiting_since = CASE WHEN q.waiting_code = $2 THEN q.waiting_since ELSE service_now() END,
         waiting_code = $2, failures = q.failures + 1
    FROM waiting w
   WHERE q.tenant_id = w.tenant_id AND q.environment = $1 AND q.operation = 'submit'`;

const SET_ALL_WAITING = /* sql */ `
  WITH waiting AS MATERIALIZED (
    SELECT q.tenant_id FROM tenant_queue q WHERE ${HAS_OPEN_WORK} ORDER BY q.tenant_id FOR UPDATE OF q SKIP LOCKED)
  ${SET_LISTED_WAITING}`;

export async function makeTenantQueuesWait(
  tx: EntityManager,
  environment: Environment,
  wait: QueueWait,
): Promise<void> {
  await tx.query(SET_ALL_WAITING, [environment, wait.code, wait.seconds]);
}

export async function makeTenantQueueWait(
  tx: EntityManager,
  { tenantId, environment }: TenantQueue,
  { wait, now }: { wait: QueueWait; now: Date },
): Promise<void> {
  await tx.query(SET_WAITING, [tenantId, environment, now, wait.code, wait.seconds, wait.secondsMax]);
}

/** Longer than the time until the next login probe, so that no queue tries a login before it. */
const REFUSED_SECONDS = 30;
export const CLIENT_REFUSED: QueueWait = {
  code: 'authority_unavailable',
  seconds: REFUSED_SECONDS,
  secondsMax: REFUSED_SECONDS,
};

const SET_WAITING_WITHOUT_TOKEN = /* sql */ `
  WITH waiting AS MATERIALIZED (
    SELECT q.tenant_id FROM tenant_queue q
     WHERE q.operation = 'submit' AND q.environment = $1 AND ${HAS_WORK}
       AND (q.waiting_until IS NULL OR q.waiting_until <= service_now() OR q.waiting_code = $2)
       AND NOT EXISTS (SELECT FROM authority_token k
                        WHERE k.tenant_id = q.tenant_id AND k.environment = q.environment
                          AND k.expires_at > service_now() + make_interval(secs => $3))
     ORDER BY q.tenant_id FOR UPDATE OF q SKIP LOCKED)
  ${SET_LISTED_WAITING}`;

/** Makes all queues of tenants that need a new login wait, because the authority refuses our own login. */
export async function makeQueuesWithoutTokenWait(tx: EntityManager, environment: Environment): Promise<void> {
  await tx.query(SET_WAITING_WITHOUT_TOKEN, [environment, CLIENT_REFUSED.code, CLIENT_REFUSED.seconds]);
}

const END_CLIENT_REFUSED = /* sql */ `
  WITH waiting AS MATERIALIZED (
    SELECT tenant_id FROM tenant_queue
     WHERE environment = $1 AND operation = 'submit' AND waiting_code = $2
     ORDER BY tenant_id FOR UPDATE SKIP LOCKED)
  UPDATE tenant_queue q SET failures = 0, waiting_until = NULL, waiting_since = NULL, waiting_code = NULL
    FROM waiting w
   WHERE q.tenant_id = w.tenant_id AND q.environment = $1 AND q.operation = 'submit'`;

export async function endClientRefusedWaits(tx: EntityManager, environment: Environment): Promise<void> {
  await tx.query(END_CLIENT_REFUSED, [environment, CLIENT_REFUSED.code]);
}

export const FORMER_TAXPAYER_SECONDS = 3_600;

const POSTPONE_FORMER_TAXPAYER = /* sql */ `
  WITH waiting AS MATERIALIZED (
    SELECT t.id FROM document_transaction t
     WHERE t.tenant_id = $1 AND t.environment = $2 AND t.submission_status = 'Queued' AND t.held_until IS NULL
       AND t.on_behalf_of = $3
     ORDER BY t.id FOR UPDATE SKIP LOCKED)
  UPDATE document_transaction t
     SET due_at = $4::timestamptz + interval '${FORMER_TAXPAYER_SECONDS} seconds', version = t.version + 1, updated_at = $4
    FROM waiting w WHERE t.tenant_id = $1 AND t.id = w.id
  RETURNING t.id`;

/**
 * Postpones documents of a former taxpayer, so that they do not block other documents. Returns whether there were any.
 */
export async function postponeFormerTaxpayer(
  tx: EntityManager,
  { onBehalfOf }: Taxpayer,
  { tenantId, environment, now }: TenantQueue & { readonly now: Date },
): Promise<boolean> {
  const tenant = await tx.findOneBy(Tenant, { tenantId });
  if (tenant !== null && findOnBehalfOf(tenant) === onBehalfOf) return false;
  const parameters = [tenantId, environment, onBehalfOf, now];
  const [postponed] = await tx.query<[unknown[], number]>(POSTPONE_FORMER_TAXPAYER, parameters);
  return postponed.length > 0;
}

/** Ends the wait of a tenant queue. $1 tenant, $10 environment, or null to keep the wait. */
export const END_WAITING = /* sql */ `
  UPDATE tenant_queue SET failures = 0, waiting_until = NULL, waiting_since = NULL, waiting_code = NULL
   WHERE tenant_id = $1 AND environment = $10 AND operation = 'submit' AND failures > 0`;
