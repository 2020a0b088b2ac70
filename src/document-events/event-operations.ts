import type { DataSource, EntityManager } from 'typeorm';
import { type Actor, appendAudit, NO_ORGANISATION } from '../accounts/audit.js';
import type { Environment } from '../config/environment.js';
import { isAfterNow } from '../database/clock.js';
import type { DocumentType } from '../documents/simplified-document.js';
import { EventConsumer } from '../entities/event-consumer.entity.js';
import { EventDelivery } from '../entities/event-delivery.entity.js';
import { HousekeepingTask } from '../entities/housekeeping-task.entity.js';
import { OperatorError } from '../errors/operator-error.js';

export interface ConsumerReport {
  readonly consumer: string;
  readonly registeredAt: Date;
  /** Last time at which a dispatcher with this consumer ran. */
  readonly seenAt: Date | null;
  readonly waiting: number;
  readonly oldestAt: Date | null;
  readonly deadLetters: number;
}

export interface DeadLetterReport {
  readonly consumer: string;
  readonly tenantId: string;
  readonly tenantName: string;
  readonly environment: Environment;
  readonly documentId: string;
  readonly documentType: DocumentType;
  readonly referenceId: string;
  readonly eventId: string;
  readonly attempts: number;
  readonly deadAt: Date;
  readonly error: string;
}

const DEAD_LETTERS_MAX = 200;
const SEEN_SECONDS = 60;
const NOTE = 'note_consumer ';

/** Name of the periodic task that stores when a consumer was last seen. */
export function toNoteName(consumer: string): string {
  return `${NOTE}${consumer}`;
}

const CONSUMERS = /* sql */ `
  SELECT c.name AS consumer, c.registered_at AS "registeredAt", count(d.event_id)::integer AS waiting,
         min(d.at) AS "oldestAt", count(d.dead_at)::integer AS "deadLetters",
         (SELECT last_run_at FROM housekeeping_task WHERE name = '${NOTE}' || c.name) AS "seenAt"
    FROM event_consumer c LEFT JOIN event_delivery d ON d.consumer = c.name
   GROUP BY c.name ORDER BY c.name`;

export const DEAD_LETTERS = /* sql */ `
  WITH dead AS MATERIALIZED (
    SELECT consumer, tenant_id, document_id, event_id, transaction_id, attempts, dead_at, error
      FROM event_delivery WHERE dead_at IS NOT NULL ORDER BY dead_at, event_id LIMIT ${DEAD_LETTERS_MAX})
  SELECT d.consumer, d.tenant_id AS "tenantId", o.name AS "tenantName", t.environment, d.document_id AS "documentId",
         t.document_type AS "documentType", t.reference_id AS "referenceId", d.event_id AS "eventId", d.attempts,
         d.dead_at AS "deadAt", d.error
    FROM dead d
    JOIN tenant o ON o.tenant_id = d.tenant_id
   CROSS JOIN LATERAL (
     SELECT environment, document_type, reference_id FROM document_transaction
      WHERE tenant_id = d.tenant_id AND id = d.transaction_id OFFSET 0) t
   ORDER BY d.dead_at, d.event_id`;

export interface EventReport {
  readonly consumers: ConsumerReport[];
  readonly deadLetters: DeadLetterReport[];
}

export async function readEvents(manager: EntityManager): Promise<EventReport> {
  const consumers = await manager.query<ConsumerReport[]>(CONSUMERS);
  return { consumers, deadLetters: await readDeadLetters(manager) };
}

export function readDeadLetters(manager: EntityManager): Promise<DeadLetterReport[]> {
  return manager.query<DeadLetterReport[]>(DEAD_LETTERS);
}

// Deliveries behind a dead letter are due when it is delivered.
const RETRY = /* sql */ `
  UPDATE event_delivery SET dead_at = NULL, attempts = 0, due_at = service_now()
   WHERE consumer = $1 AND dead_at IS NOT NULL AND ($2::uuid IS NULL OR document_id = $2)
  RETURNING tenant_id AS "tenantId", document_id AS "documentId", event_id AS "eventId"`;

export interface RetriedEvent {
  readonly tenantId: string;
  readonly documentId: string;
  readonly eventId: string;
}

/**
 * Redelivers the dead letters of a consumer, or of one document, with all attempts. Audited without an organisation,
 * because consumers are not visible to tenants.
 * @throws OperatorError if the consumer does not exist
 */
export async function retryDeadLetters(
  tx: EntityManager,
  { consumer, documentId }: { consumer: string; documentId: string | null },
  actor: Actor,
): Promise<RetriedEvent[]> {
  await assertConsumer(tx, consumer);
  const [retried] = await tx.query<[RetriedEvent[], number]>(RETRY, [consumer, documentId]);
  if (retried.length > 0) {
    const documents = retried.slice(0, DEAD_LETTERS_MAX).map((event) => event.documentId);
    const details = { events: retried.length, documents };
    await appendAudit(tx, actor, { tenantId: NO_ORGANISATION, action: 'events.retried', subject: consumer, details });
  }
  return retried;
}

async function assertConsumer(tx: EntityManager, consumer: string): Promise<void> {
  const names = (await tx.find(EventConsumer, { order: { name: 'ASC' } })).map(({ name }) => name);
  if (names.includes(consumer)) return;
  const known = names.length === 0 ? 'none is registered' : `registered are ${names.join(', ')}`;
  throw new OperatorError(`There is no consumer ${consumer}: ${known}`);
}

/**
 * Counts the deliveries that `forgetConsumer` would delete.
 * @throws OperatorError if the consumer does not exist, or a running dispatcher has it
 */
export async function countWaiting(tx: EntityManager, consumer: string): Promise<number> {
  await assertConsumer(tx, consumer);
  const name = toNoteName(consumer);
  const isSeen = await tx.existsBy(HousekeepingTask, { name, lastRunAt: isAfterNow({ secondsAgo: SEEN_SECONDS }) });
  if (isSeen) {
    throw new OperatorError(
      `A running dispatcher has ${consumer}: update or stop it first, and try again after ${SEEN_SECONDS} seconds`,
    );
  }
  return tx.getRepository(EventDelivery).countBy({ consumer });
}

const LOCK_TIMEOUT = `SET LOCAL lock_timeout = '2s'`;
// Excludes database transactions that read the consumers, so that none inserts a delivery afterwards.
const LOCK = 'LOCK TABLE event_consumer IN ACCESS EXCLUSIVE MODE';
const FORGET = 'DELETE FROM event_consumer WHERE name = $1';
const FORGET_NOTE = 'DELETE FROM housekeeping_task WHERE name = $1';
const ROWS_AT_ONCE = 5_000;
const DELETE_DELIVERIES = /* sql */ `
  DELETE FROM event_delivery WHERE (tenant_id, consumer, document_id, event_id) IN (
    SELECT tenant_id, consumer, document_id, event_id FROM event_delivery WHERE consumer = $1 LIMIT ${ROWS_AT_ONCE})`;

/** Deletes a removed consumer with its deliveries, and returns their number. Can be repeated after an interruption. */
export async function forgetConsumer(dataSource: DataSource, consumer: string, actor: Actor): Promise<number> {
  const waiting = await countWaiting(dataSource.manager, consumer);
  let deleted = 0;
  // Also called before the lock, to keep the lock short.
  const deleteDeliveries = async (): Promise<void> => {
    for (let count = ROWS_AT_ONCE; count === ROWS_AT_ONCE; deleted += count) {
      [, count] = await dataSource.query<[unknown[], number]>(DELETE_DELIVERIES, [consumer]);
    }
  };
  await deleteDeliveries();
  await dataSource.transaction(async (tx) => {
    await tx.query(LOCK_TIMEOUT);
    await tx.query(LOCK);
    await tx.query(FORGET, [consumer]);
    await tx.query(FORGET_NOTE, [toNoteName(consumer)]);
    const [, count] = await tx.query<[unknown[], number]>(DELETE_DELIVERIES, [consumer]);
    deleted += count;
    const details = { deliveries: waiting };
    await appendAudit(tx, actor, { tenantId: NO_ORGANISATION, action: 'events.forgotten', subject: consumer, details });
  });
  return deleted;
}
