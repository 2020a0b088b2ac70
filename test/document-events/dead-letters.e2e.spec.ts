import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ATTEMPTS_MAX } from '../../src/document-events/deliver.loop.js';
import { accept, createTenant, issue, readStatus, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { readRecorded, RECORDER_TABLE, recorderFailures, RecorderModule } from '../support/event-recorder.js';
import { startFileService } from '../support/file-service.js';

// What operators see and decide: docs/decisions/0073-what-happens-to-a-document.md.

const service = await startFileService({ extensions: [RecorderModule] });
await service.owner.query(RECORDER_TABLE);
const query = (text: string): Promise<unknown[]> => service.owner.query(text);
const HOUR_SECONDS = 3_600;
const never = (): boolean => false;

let tenant: TestTenant;
beforeEach(async () => {
  await service.owner.query('TRUNCATE recorded_event, event_delivery');
  tenant = await createTenant(service);
});
afterEach(() => {
  recorderFailures.isFailing = never;
});

const WHOLE_LIFE = ['Queued', 'Processing', 'Submitted', 'Valid'];

/** What a consumer was brought of a document, in order. */
async function statusesOf(consumer: string, documentId: string): Promise<string[]> {
  const recorded = await readRecorded(query);
  return recorded
    .filter((each) => each.consumer === consumer && each.documentId === documentId)
    .flatMap(({ event }) => (event.kind === 'status' ? [event.to.authorityStatus ?? event.to.submissionStatus] : []));
}

async function countDeliveries(): Promise<number> {
  const [{ count }] = (await query('SELECT count(*)::int AS count FROM event_delivery')) as { count: number }[];
  return count;
}

describe('an event that a consumer can never handle', () => {
  it('becomes a dead letter, and blocks its document for that consumer alone', async () => {
    const batch = await accept(service, tenant, [invoice(), invoice()]);
    const [bad, good] = batch.documents;
    recorderFailures.isFailing = (consumer, event) =>
      consumer === 'recorder-one' && event.documentId === bad.documentId;
    await service.settle();
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      await service.tick('deliver');
      await service.advance(2 * HOUR_SECONDS);
    }
    await service.tick('deliver');
    expect(await statusesOf('recorder-one', bad.documentId)).toEqual([]);
    expect(await statusesOf('recorder-one', good.documentId)).toEqual(WHOLE_LIFE);
    expect(await statusesOf('recorder-two', bad.documentId)).toEqual(WHOLE_LIFE);
    const left = await query(
      `SELECT consumer, attempts, error, dead_at IS NOT NULL AS "isDead" FROM event_delivery ORDER BY event_id`,
    );
    const error = `recorder-one cannot handle ${bad.referenceId}`;
    expect(left).toEqual([
      { consumer: 'recorder-one', attempts: ATTEMPTS_MAX, error, isDead: true },
      ...WHOLE_LIFE.slice(1).map(() => ({ consumer: 'recorder-one', attempts: 0, error: null, isDead: false })),
    ]);
  });

  it('holds up no other document, however many deliveries wait behind dead letters', async () => {
    await accept(service, tenant, [invoice()]);
    // More than a claim looks at, all due before what comes later.
    await service.owner.query(
      `WITH stuck AS (
         INSERT INTO event_delivery
         SELECT d.tenant_id, c.name, gen_random_uuid(), nextval('document_event_id'), d.transaction_id, 1, NULL, NULL,
                NULL, d.at, 16, 'infinity', NULL, 'dead', service_now()
           FROM event_delivery d, (VALUES ('recorder-one')) c (name), generate_series(1, 150)
          WHERE d.consumer = c.name RETURNING *)
       INSERT INTO event_delivery
       SELECT s.tenant_id, s.consumer, s.document_id, nextval('document_event_id'), s.transaction_id, 1, NULL, NULL, NULL,
              s.at, 0, s.at - interval '1 day', NULL, NULL, NULL
         FROM stuck s, generate_series(1, 3)`,
    );
    const { submissionBatchId, documents } = await accept(service, tenant, [invoice()]);
    await service.settle();
    expect((await readStatus(service, tenant, submissionBatchId)).status).toBe('Valid');
    expect(await statusesOf('recorder-one', documents[0].documentId)).toEqual(WHOLE_LIFE);
  });
});

describe('without a consumer', () => {
  it('an event makes no delivery and takes no id', async () => {
    const consumers = await service.owner.query<object[]>('DELETE FROM event_consumer RETURNING name, registered_at');
    const readLast = (): Promise<unknown[]> => query('SELECT last_value FROM document_event_id');
    try {
      const before = await readLast();
      await issue(service, tenant, invoice());
      expect(await countDeliveries()).toBe(0);
      expect(await readLast()).toEqual(before);
    } finally {
      await service.owner.query(
        `INSERT INTO event_consumer SELECT * FROM jsonb_populate_recordset(NULL::event_consumer, $1)`,
        [JSON.stringify(consumers[0])],
      );
    }
  });
});
