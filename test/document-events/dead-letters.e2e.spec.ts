import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMAND_ACTOR } from '../../src/audit/audit.js';
import { ATTEMPTS_MAX } from '../../src/document-events/deliver.loop.js';
import { readCommand, runCommand } from '../cli/run-command.js';
import type { EventReport } from '../../src/document-events/event-operations.js';
import { readAuditLines } from '../support/people.js';
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

/** A document whose events the first consumer has given up. */
async function makeDeadLetter(): Promise<{ documentId: string; referenceId: string }> {
  const [document] = (await accept(service, tenant, [invoice()])).documents;
  recorderFailures.isFailing = (consumer, event) =>
    consumer === 'recorder-one' && event.documentId === document.documentId;
  await service.settle();
  await service.owner.query(`UPDATE event_delivery SET attempts = $1 - 1 WHERE attempts > 0 AND document_id = $2`, [
    ATTEMPTS_MAX,
    document.documentId,
  ]);
  await service.advance(2 * HOUR_SECONDS);
  await service.tick('deliver');
  recorderFailures.isFailing = never;
  return document;
}

describe(`the ${COMMAND_ACTOR.email}`, () => {
  it('events list shows what each consumer has not handled, and why', async () => {
    const { documentId, referenceId } = await makeDeadLetter();
    const { consumers, deadLetters } = await readCommand<EventReport>(service.database, ['events', 'list']);
    expect(consumers).toMatchObject([
      { consumer: 'recorder-one', waiting: WHOLE_LIFE.length, deadLetters: 1, oldestAt: expect.any(String) as string },
      { consumer: 'recorder-two', waiting: 0, deadLetters: 0, oldestAt: null },
    ]);
    const error = `recorder-one cannot handle ${referenceId}`;
    expect(deadLetters).toMatchObject([{ consumer: 'recorder-one', documentId, referenceId, error }]);
  });

  it('events retry resumes a document in order, once and audited', async () => {
    const { documentId } = await makeDeadLetter();
    const other = await makeDeadLetter();
    await service.tick('deliver');
    expect(await statusesOf('recorder-one', documentId)).toEqual([]);
    const retry = ['events', 'retry', 'recorder-one', '--document', documentId];
    expect(await readCommand(service.database, retry)).toMatchObject({ retried: [{ documentId }] });
    await service.settle();
    expect(await statusesOf('recorder-one', documentId)).toEqual(WHOLE_LIFE);
    expect(await statusesOf('recorder-one', other.documentId)).toEqual([]);
    expect(await readCommand(service.database, retry)).toEqual({ retried: [] });
    expect(await readAuditLines(service, tenant.tenantId)).toEqual([`events.retried by ${COMMAND_ACTOR.email}`]);
  });

  it('events forget says what would be lost, and ends the deliveries of a consumer that no build has', async () => {
    await service.owner.query(`INSERT INTO event_consumer VALUES ('gone', service_now())`);
    await issue(service, tenant, invoice());
    expect(await countDeliveries()).toBe(WHOLE_LIFE.length);
    const forget = ['events', 'forget', 'gone'];
    expect((await runCommand(service.database, forget)).error).toContain('gone has not handled 4 events');
    expect(await countDeliveries()).toBe(WHOLE_LIFE.length);
    expect(await readCommand(service.database, [...forget, '--confirm'])).toEqual({ consumer: 'gone', deleted: 4 });
    await issue(service, tenant, invoice());
    expect(await countDeliveries()).toBe(0);
    expect((await runCommand(service.database, forget)).error).toContain('registered are recorder-one, recorder-two');
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
