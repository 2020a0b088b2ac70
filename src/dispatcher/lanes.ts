import type { EntityManager } from 'typeorm';
import type { Environment } from '../config/environment.js';

/** The work of one tenant in one environment. */
export interface Lane {
  readonly tenantId: string;
  readonly environment: Environment;
}

// Whether a lane has work is read from the partial index of queued transactions, so that accepting a document never
// touches the lane's row. OFFSET 0 has it asked lane by lane, of the index: joined instead, which the planner prefers while
// the statistics lag behind a great queue, all of the queue would be read (measured: more than 10 s of 100,000).
const HAS_WORK = /* sql */ `
  EXISTS (SELECT FROM document_transaction t
           WHERE t.tenant_id = l.tenant_id AND t.environment = l.environment
             AND t.submission_status = 'Queued' AND t.held_until IS NULL AND t.due_at <= service_now() OFFSET 0)`;

const FIND_WORK = /* sql */ `
  SELECT EXISTS (SELECT FROM dispatch_lane l
    WHERE l.operation = 'submit' AND l.environment = $1
      AND (l.blocked_until IS NULL OR l.blocked_until <= service_now()) AND ${HAS_WORK}) AS "hasWork"`;

/** Whether any lane waits to be served: asked before a call's slot is taken, which would be wasted otherwise. */
export async function hasQueuedWork(tx: EntityManager, environment: Environment): Promise<boolean> {
  const [{ hasWork }] = await tx.query<{ hasWork: boolean }[]>(FIND_WORK, [environment]);
  return hasWork;
}

/** Calls of one lane under way before the other lanes' come first (docs/decisions/0040). */
const CALLS_IN_FLIGHT = 2;

const IS_BUSY = /* sql */ `
  (SELECT count(*) FROM authority_submission s
    WHERE s.tenant_id = l.tenant_id AND s.environment = l.environment AND s.state = 'sending'
      AND s.lease_until > $2) >= ${CALLS_IN_FLIGHT}`;

const TAKE = /* sql */ `
  UPDATE dispatch_lane SET served_at = $2
   WHERE (tenant_id, environment, operation) = (
     SELECT l.tenant_id, l.environment, l.operation FROM dispatch_lane l
      WHERE l.operation = 'submit' AND l.environment = $1
        AND (l.blocked_until IS NULL OR l.blocked_until <= $2) AND ${HAS_WORK}
      ORDER BY ${IS_BUSY}, l.served_at, l.tenant_id LIMIT 1 FOR UPDATE OF l SKIP LOCKED)
  RETURNING tenant_id AS "tenantId", environment`;

/**
 * Takes the least recently served lane that has work, until the transaction ends; null when there is none. A lane with
 * enough calls under way is taken only when no other has work.
 */
export async function takeLane(tx: EntityManager, environment: Environment, now: Date): Promise<Lane | null> {
  const [[lane = null]] = await tx.query<[Lane[], number]>(TAKE, [environment, now]);
  return lane;
}

/** Why a tenant's documents are not sent, as `waiting` shows it (D9), and how long before they are tried again. */
export interface LaneBlock {
  readonly reason:
    | 'not_appointed'
    | 'authority_unavailable'
    | 'call_budget'
    | 'supplier_profile_incomplete'
    | 'signing_certificate_expired';
  /** Doubled with every failure in a row, up to `secondsMax`. */
  readonly seconds: number;
  readonly secondsMax: number;
}

const BLOCK = /* sql */ `
  UPDATE dispatch_lane
     SET failures = failures + 1,
         blocked_until = $3::timestamptz + make_interval(secs => least($6::float8, $5::float8 * power(2, least(failures, 20)))),
         blocked_since = CASE WHEN blocked_reason = $4 THEN blocked_since ELSE $3 END,
         blocked_reason = $4
   WHERE tenant_id = $1 AND environment = $2 AND operation = 'submit'`;

/** Pauses one tenant's sending; others go on. */
export async function blockLane(
  tx: EntityManager,
  { tenantId, environment }: Lane,
  { block, now }: { block: LaneBlock; now: Date },
): Promise<void> {
  await tx.query(BLOCK, [tenantId, environment, now, block.reason, block.seconds, block.secondsMax]);
}

const UNBLOCK = /* sql */ `
  UPDATE dispatch_lane SET failures = 0, blocked_until = NULL, blocked_since = NULL, blocked_reason = NULL
   WHERE tenant_id = $1 AND environment = $2 AND operation = 'submit' AND failures > 0`;

export async function unblockLane(tx: EntityManager, lane: Lane): Promise<void> {
  await tx.query(UNBLOCK, [lane.tenantId, lane.environment]);
}
