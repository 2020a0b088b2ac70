import { Injectable, Module } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  type DocumentEvent,
  DocumentEventConsumer,
  type DocumentEventHandler,
} from '../../src/document-events/document-event.js';

// Two consumers that record their events and fail on demand.

export const RECORDERS = ['recorder-one', 'recorder-two'] as const;
type Recorder = (typeof RECORDERS)[number];

/** `sequence` is the order in which the events were handled. Events of one document are never handled concurrently. */
export const RECORDER_TABLE = `
  CREATE TABLE recorded_event (
    sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, consumer text NOT NULL, event_id bigint NOT NULL,
    document_id uuid NOT NULL, source text NOT NULL, event jsonb NOT NULL);
  GRANT SELECT, INSERT ON recorded_event TO einvoice_dispatcher`;

const RECORD = `
  INSERT INTO recorded_event (consumer, event_id, document_id, source, event) VALUES ($1, $2, $3, $4, $5)`;

export type IsFailing = (consumer: Recorder, event: DocumentEvent) => boolean | Promise<boolean>;

/** Decides after an event was recorded whether its delivery fails. By default, no delivery fails. */
export const recorderFailures: { isFailing: IsFailing } = { isFailing: () => false };

async function record(consumer: Recorder, event: DocumentEvent, tx: EntityManager): Promise<void> {
  const source =
    event.kind === 'status' ? `${event.transactionId} ${event.version}` : `${event.cancellationId} ${event.to}`;
  await tx.query(RECORD, [consumer, event.id, event.documentId, source, JSON.stringify(event)]);
  if (await recorderFailures.isFailing(consumer, event))
    throw new Error(`${consumer} cannot handle ${event.referenceId}`);
}

@Injectable()
@DocumentEventConsumer('recorder-one')
class RecorderOne implements DocumentEventHandler {
  handle(event: DocumentEvent, tx: EntityManager): Promise<void> {
    return record('recorder-one', event, tx);
  }
}

@Injectable()
@DocumentEventConsumer('recorder-two')
class RecorderTwo implements DocumentEventHandler {
  handle(event: DocumentEvent, tx: EntityManager): Promise<void> {
    return record('recorder-two', event, tx);
  }
}

@Module({ providers: [RecorderOne, RecorderTwo] })
export class RecorderModule {}

// An attempt is accepted as version 1. A cancellation has no history except its current status.
const EVERY_DELIVERY = `
  SELECT c.name || ' ' || s.source AS delivery
    FROM event_consumer c
   CROSS JOIN (
     SELECT id || ' 1' AS source FROM document_transaction
     UNION ALL SELECT transaction_id || ' ' || version FROM status_event
     UNION ALL SELECT id || ' Queued' FROM document_cancellation
     UNION ALL SELECT id || ' ' || status FROM document_cancellation WHERE status <> 'Queued') s`;

export interface Recorded {
  readonly consumer: string;
  readonly eventId: string;
  readonly documentId: string;
  readonly source: string;
  readonly event: DocumentEvent;
}

const RECORDED = `
  SELECT consumer, event_id AS "eventId", document_id AS "documentId", source, event
    FROM recorded_event ORDER BY sequence`;

type Query = (text: string) => Promise<unknown[]>;

export async function readRecorded(query: Query): Promise<Recorded[]> {
  return (await query(RECORDED)) as Recorded[];
}

/** Describes each event that was not delivered, delivered twice, or delivered out of the order of its document. */
export async function findDeliveryProblems(query: Query): Promise<string[]> {
  const recorded = await readRecorded(query);
  const expected = (await query(EVERY_DELIVERY)) as { delivery: string }[];
  const times = new Map<string, number>();
  const latest = new Map<string, { eventId: bigint; attempt: string; version: number }>();
  const outOfOrder: string[] = [];
  for (const { consumer, eventId, documentId, source, event } of recorded) {
    times.set(`${consumer} ${eventId}`, (times.get(`${consumer} ${eventId}`) ?? 0) + 1);
    if (event.kind !== 'status') continue;
    const before = latest.get(`${consumer} ${documentId}`);
    const now = { eventId: BigInt(eventId), attempt: event.transactionId, version: event.version };
    const isLater = before === undefined || now.eventId > before.eventId;
    // The first event of an attempt is its acceptance. Versions may be skipped, because not every change is an event.
    const isNext = before?.attempt === now.attempt ? now.version > before.version : now.version === 1;
    if (!isLater || !isNext) outOfOrder.push(`${consumer} ${source} came out of order`);
    latest.set(`${consumer} ${documentId}`, now);
  }
  const delivered = new Set(recorded.map(({ consumer, source }) => `${consumer} ${source}`));
  return [
    ...expected
      .filter(({ delivery }) => !delivered.has(delivery))
      .map(({ delivery }) => `${delivery} was not delivered`),
    ...[...times]
      .filter(([, count]) => count > 1)
      .map(([delivery, count]) => `${delivery} was delivered ${count} times`),
    ...outOfOrder,
  ];
}
