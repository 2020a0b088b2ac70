import type { EntityManager } from 'typeorm';
import type { Environment } from '../config/environment.js';
import type { DocumentType } from '../documents/simplified-document.js';
import { type AttemptState, type CancellationStatus, getAttemptStatus } from '../documents/statuses.js';
import type { DocumentEvent } from './document-event.js';

/** The first delivery of a document, leased to this process. */
export interface ClaimedDelivery {
  readonly tenantId: string;
  readonly consumer: string;
  readonly documentId: string;
  readonly eventId: string;
  readonly owner: string;
  readonly attempts: number;
}

/** Due deliveries that a claim reads; WIDE_WINDOW if none of them can be claimed. */
const WINDOW = 20;
const WIDE_WINDOW = 200;

// Includes the first delivery of each document, which may be due later or be outside the window.
const selectDue = (window: number): string => `
  SELECT d.tenant_id, d.document_id, d.event_id, d.due_at, first.event_id AS first_id,
         first.due_at > service_now() AS is_blocked
    FROM (SELECT tenant_id, document_id, event_id, due_at FROM event_delivery
           WHERE consumer = $1 AND due_at <= service_now() ORDER BY due_at LIMIT ${window}) d
   CROSS JOIN LATERAL (
     SELECT event_id, due_at FROM event_delivery
      WHERE tenant_id = d.tenant_id AND consumer = $1 AND document_id = d.document_id ORDER BY event_id LIMIT 1) first`;

// Locks candidates one by one until one is free; for a join, the planner could read all deliveries. due_at is the
// lease. The attempt is counted before it starts.
const claimWithin = (window: number): string => `
  WITH due AS MATERIALIZED (${selectDue(window)}),
  claimed AS (
    UPDATE event_delivery
       SET attempts = attempts + 1, owner = $2, due_at = service_now() + make_interval(secs => $3)
     WHERE (tenant_id, consumer, document_id, event_id) = (
       SELECT d.tenant_id, $1, d.document_id, d.event_id
         FROM (SELECT tenant_id, document_id, first_id FROM due WHERE NOT is_blocked ORDER BY due_at OFFSET 0) w
        CROSS JOIN LATERAL (
          SELECT tenant_id, document_id, event_id FROM event_delivery
           WHERE tenant_id = w.tenant_id AND consumer = $1 AND document_id = w.document_id AND event_id = w.first_id
             AND due_at <= service_now() OFFSET 0 FOR UPDATE SKIP LOCKED) d
        LIMIT 1)
    RETURNING tenant_id, document_id, event_id, attempts)
  SELECT c.tenant_id AS "tenantId", c.document_id AS "documentId", c.event_id AS "eventId", c.attempts,
         EXISTS (SELECT FROM due WHERE is_blocked) AS "isBlocked"
    FROM (SELECT 1) always LEFT JOIN claimed c ON true`;
const CLAIM = claimWithin(WINDOW);
const WIDE_CLAIM = claimWithin(WIDE_WINDOW);

interface ClaimRow {
  readonly tenantId: string | null;
  readonly documentId: string;
  readonly eventId: string;
  readonly attempts: number;
  /** Whether a due delivery waits behind an earlier one of its document. */
  readonly isBlocked: boolean;
}

export interface Claim {
  readonly delivery: ClaimedDelivery | null;
  readonly isBlocked: boolean;
}

/** Leases the longest-waiting due delivery of a consumer that is the first of its document. */
export async function claimDelivery(
  tx: EntityManager,
  { consumer, owner, leaseSeconds }: { consumer: string; owner: string; leaseSeconds: number },
): Promise<Claim> {
  const parameters = [consumer, owner, leaseSeconds];
  let [claimed] = await tx.query<ClaimRow[]>(CLAIM, parameters);
  if (claimed.tenantId === null) [claimed] = await tx.query<ClaimRow[]>(WIDE_CLAIM, parameters);
  const { tenantId, documentId, eventId, attempts, isBlocked } = claimed;
  if (tenantId === null) return { delivery: null, isBlocked };
  return { delivery: { tenantId, consumer, documentId, eventId, owner, attempts }, isBlocked };
}

// Postpones deliveries behind a postponed one, so that claims skip them. FOR KEY SHARE prevents the end of the first
// delivery, which would wake them, but permits other updates.
const PUT_OFF = /* sql */ `
  WITH due AS MATERIALIZED (${selectDue(WIDE_WINDOW)}),
  behind AS MATERIALIZED (
    SELECT d.tenant_id, d.document_id, d.event_id, f.due_at
      FROM (SELECT tenant_id, document_id, event_id, first_id FROM due WHERE is_blocked OFFSET 0) w
     CROSS JOIN LATERAL (
       SELECT due_at FROM event_delivery
        WHERE tenant_id = w.tenant_id AND consumer = $1 AND document_id = w.document_id AND event_id = w.first_id
          AND owner IS NULL AND due_at > service_now() OFFSET 0 FOR KEY SHARE SKIP LOCKED) f
     CROSS JOIN LATERAL (
       SELECT tenant_id, document_id, event_id FROM event_delivery
        WHERE tenant_id = w.tenant_id AND consumer = $1 AND document_id = w.document_id AND event_id = w.event_id
          AND event_id > w.first_id OFFSET 0 FOR UPDATE SKIP LOCKED) d)
  UPDATE event_delivery d SET due_at = b.due_at
    FROM behind b
   WHERE d.tenant_id = b.tenant_id AND d.consumer = $1 AND d.document_id = b.document_id AND d.event_id = b.event_id
  RETURNING d.event_id`;

export async function putOffBehind(tx: EntityManager, consumer: string): Promise<number> {
  const [putOff] = await tx.query<[unknown[], number]>(PUT_OFF, [consumer]);
  return putOff.length;
}

// The lock is held until the commit, so that no other process handles the event even if the lease expires.
const REMOVE = /* sql */ `
  DELETE FROM event_delivery
   WHERE tenant_id = $1 AND consumer = $2 AND document_id = $3 AND event_id = $4 AND owner = $5
  RETURNING transaction_id AS "transactionId", version, cancellation_id AS "cancellationId",
            from_status AS "fromStatus", to_status AS "toStatus", at`;

interface RemovedDelivery {
  readonly transactionId: string;
  readonly version: number | null;
  readonly cancellationId: string | null;
  readonly fromStatus: CancellationStatus | null;
  readonly toStatus: CancellationStatus | null;
  readonly at: Date;
}

const READ_EVENT = /* sql */ `
  SELECT t.environment, t.reference_id AS "referenceId", t.document_type AS "documentType",
         e.from_state AS "fromState", coalesce(e.to_state, 'queued') AS "toState",
         coalesce(e.cause, 'accepted') AS cause, e.correlation_id AS "correlationId"
    FROM document_transaction t
    LEFT JOIN status_event e ON e.tenant_id = t.tenant_id AND e.transaction_id = t.id AND e.version = $3
   WHERE t.tenant_id = $1 AND t.id = $2`;

interface EventRow {
  readonly environment: Environment;
  readonly referenceId: string;
  readonly documentType: DocumentType;
  readonly fromState: AttemptState | null;
  readonly toState: AttemptState;
  readonly cause: string;
  readonly correlationId: string | null;
}

/** Ends a delivery. @returns its event, or null if the lease was lost */
export async function takeEvent(tx: EntityManager, delivery: ClaimedDelivery): Promise<DocumentEvent | null> {
  const { tenantId, consumer, documentId, eventId: id, owner } = delivery;
  const [[removed]] = await tx.query<[RemovedDelivery[], number]>(REMOVE, [tenantId, consumer, documentId, id, owner]);
  if (removed === undefined) return null;
  const { transactionId, version, cancellationId, fromStatus, toStatus, at } = removed;
  const [row] = await tx.query<EventRow[]>(READ_EVENT, [tenantId, transactionId, version]);
  const { environment, referenceId, documentType, fromState, toState, cause, correlationId } = row;
  const change = { id, tenantId, environment, documentId, transactionId, referenceId, documentType, at };
  if (cancellationId !== null && toStatus !== null) {
    return { ...change, kind: 'cancellation', cancellationId, from: fromStatus, to: toStatus };
  }
  return {
    ...change,
    kind: 'status',
    from: fromState === null ? null : getAttemptStatus(fromState),
    to: getAttemptStatus(toState),
    version: version ?? 1,
    cause,
    correlationId,
  };
}

// A separate statement, so that it sees deliveries postponed until then.
const WAKE_NEXT = /* sql */ `
  UPDATE event_delivery d SET due_at = service_now()
   WHERE d.tenant_id = $1 AND d.consumer = $2 AND d.document_id = $3 AND d.due_at > service_now()
     AND d.event_id = (
       SELECT min(event_id) FROM event_delivery WHERE tenant_id = $1 AND consumer = $2 AND document_id = $3)`;

export async function wakeNext(tx: EntityManager, delivery: ClaimedDelivery): Promise<void> {
  await tx.query(WAKE_NEXT, [delivery.tenantId, delivery.consumer, delivery.documentId]);
}

const FAIL = /* sql */ `
  UPDATE event_delivery
     SET owner = NULL, error = $6, dead_at = CASE WHEN $7::integer IS NULL THEN service_now() END,
         due_at = CASE WHEN $7::integer IS NULL THEN 'infinity'
                       ELSE service_now() + make_interval(secs => $7::integer * (1 + random())) END
   WHERE tenant_id = $1 AND consumer = $2 AND document_id = $3 AND event_id = $4 AND owner = $5
  RETURNING event_id`;

/**
 * Postpones a delivery by one to two times `retrySeconds`; null makes it a dead letter.
 * @returns whether this process still had the lease
 */
export async function failDelivery(
  tx: EntityManager,
  { tenantId, consumer, documentId, eventId, owner }: ClaimedDelivery,
  { error, retrySeconds }: { error: string; retrySeconds: number | null },
): Promise<boolean> {
  const key = [tenantId, consumer, documentId, eventId, owner];
  const [failed] = await tx.query<[unknown[], number]>(FAIL, [...key, error, retrySeconds]);
  return failed.length > 0;
}
