import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { COMMAND_ACTOR, NO_ORGANISATION } from '../../src/accounts/audit.js';
import { serveMetrics } from '../../src/common/metrics-page.js';
import { ATTEMPTS_MAX } from '../../src/document-events/deliver.loop.js';
import type { QueueDto, RetriedEventsDto } from '../../src/dashboard-api/operator/dto/operator-queue.dto.js';
import { readCommand, runCommand } from '../cli/run-command.js';
import type { EventReport } from '../../src/document-events/event-operations.js';
import { createOperator, type Problem, readAudit, readAuditLines } from '../support/people.js';
import { accept, createTenant, issue, readStatus, type TestTenant } from '../support/client.js';
import { signUpInto } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { readRecorded, RECORDER_TABLE, recorderFailures, RecorderModule } from '../support/event-recorder.js';
import { parseMetrics } from '../support/metrics.js';
import { startFileService } from '../support/file-service.js';

// docs/decisions/0073-what-happens-to-a-document.md

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

/** Returns the statuses that a consumer has received for a document, in order. */
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

/** Reads the metric of dead letters by consumer. */
async function countInMetrics(): Promise<unknown> {
  const page = await serveMetrics(0);
  onTestFinished(() => page.close());
  const samples = parseMetrics(await (await fetch(page.url)).text());
  return Object.fromEntries(
    samples
      .filter(({ name }) => name === 'einvoice_event_dead_letters_total')
      .map(({ labels, value }) => [labels.consumer, value]),
  );
}

describe('an event that a consumer cannot handle', () => {
  it('has a metric that starts at 0', async () => {
    expect(await countInMetrics()).toEqual({ 'recorder-one': 0, 'recorder-two': 0 });
  });

  it('becomes a dead letter that blocks only its document and consumer', async () => {
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

  it.each([
    ['an error with a NUL byte', new Error('a\0b'), 'a\uFFFDb'],
    ['an error without a message', new TypeError(), 'TypeError'],
    ['an error with its cause', new Error('outer', { cause: new Error('inner') }), 'outer; cause: inner'],
    [
      'an object without a prototype',
      Object.assign(Object.create(null) as object, { code: 7 }),
      '[Object: null prototype] { code: 7 }',
    ],
  ])('is postponed with an error message for %s', async (_, thrown, error) => {
    const [{ documentId }] = (await accept(service, tenant, [invoice()])).documents;
    recorderFailures.isFailing = (consumer) => {
      if (consumer === 'recorder-one') throw thrown;
      return false;
    };
    await service.tick('deliver');
    expect(await statusesOf('recorder-two', documentId)).toEqual(WHOLE_LIFE.slice(0, 1));
    const failed = `SELECT attempts, error FROM event_delivery WHERE consumer = 'recorder-one'`;
    expect(await query(failed)).toEqual([{ attempts: 1, error }]);
  });

  it('is retried on time despite many waiting deliveries', async () => {
    await accept(service, tenant, [invoice()]);
    // Inserts more deliveries than a claim reads, all due before the failed delivery.
    await service.owner.query(
      `WITH failed AS (
         INSERT INTO event_delivery
         SELECT d.tenant_id, d.consumer, gen_random_uuid(), nextval('document_event_id'), d.transaction_id, 1, NULL, NULL,
                NULL, d.at, 1, service_now(), NULL, 'failed', NULL
           FROM event_delivery d, generate_series(1, 70) WHERE d.consumer = 'recorder-one' RETURNING *)
       INSERT INTO event_delivery
       SELECT f.tenant_id, f.consumer, f.document_id, nextval('document_event_id'), f.transaction_id, 1, NULL, NULL, NULL,
              f.at, 0, f.at - interval '1 day', NULL, NULL, NULL
         FROM failed f, generate_series(1, 3)`,
    );
    await service.settle();
    expect(await countDeliveries()).toBe(0);
  });

  it('does not delay other documents despite many waiting deliveries', async () => {
    await accept(service, tenant, [invoice()]);
    // Inserts more deliveries than a claim reads, all due before the later events.
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

/** Creates a document with a dead letter of the first consumer. */
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

describe('the events command', () => {
  it('lists waiting events and dead letters by consumer', async () => {
    const { documentId, referenceId } = await makeDeadLetter();
    const { consumers, deadLetters } = await readCommand<EventReport>(service.database, ['events', 'list']);
    const time = expect.any(String) as string;
    expect(consumers).toMatchObject([
      { consumer: 'recorder-one', waiting: WHOLE_LIFE.length, deadLetters: 1, oldestAt: time },
      { consumer: 'recorder-two', waiting: 0, deadLetters: 0, oldestAt: null, seenAt: time },
    ]);
    const error = `recorder-one cannot handle ${referenceId}`;
    expect(deadLetters).toMatchObject([{ consumer: 'recorder-one', documentId, referenceId, error }]);
  });

  it('retries the events of a document in order', async () => {
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
    const lines = await readAuditLines(service, NO_ORGANISATION);
    expect(lines.filter((entry) => entry.startsWith('events.'))).toEqual([`events.retried by ${COMMAND_ACTOR.email}`]);
  });

  it('deletes the deliveries of a removed consumer only with --confirm', async () => {
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

  it('does not delete a consumer that ran within the last minute', async () => {
    await service.tick('consumers');
    const forget = ['events', 'forget', 'recorder-two'];
    for (const words of [forget, [...forget, '--confirm']]) {
      expect((await runCommand(service.database, words)).error).toContain('A running dispatcher has recorder-two');
    }
    await service.advance(50);
    await service.tick('consumers');
    await service.advance(50);
    expect((await runCommand(service.database, forget)).error).toContain('A running dispatcher has recorder-two');
    await service.advance(11);
    expect((await runCommand(service.database, forget)).error).toContain('recorder-two has not handled 0 events');
    expect(await readCommand(service.database, [...forget, '--confirm'])).toEqual({
      consumer: 'recorder-two',
      deleted: 0,
    });
    await service.restart();
    expect(await readCommand<EventReport>(service.database, ['events', 'list'])).toMatchObject({
      consumers: [{ consumer: 'recorder-one' }, { consumer: 'recorder-two', seenAt: null }],
    });
  });
});

describe('the operators’ page', () => {
  it('shows dead letters only to operators', async () => {
    const { documentId, referenceId } = await makeDeadLetter();
    const { browser } = await createOperator(service);
    const { body } = await browser.get<QueueDto>('/operator/queue');
    expect(body.deadLetters).toEqual([
      {
        consumer: 'recorder-one',
        tenantId: tenant.tenantId,
        tenantName: expect.any(String) as string,
        environment: 'sandbox',
        documentId,
        documentType: 'invoice',
        referenceId,
        eventId: expect.any(String) as string,
        attempts: ATTEMPTS_MAX,
        deadAt: expect.any(String) as string,
        error: `recorder-one cannot handle ${referenceId}`,
      },
    ]);
    const owner = await signUpInto(service, tenant.tenantId, 'owner');
    expect((await owner.get('/operator/queue')).status).toBe(403);
    expect((await owner.post('/operator/events/retry', { consumer: 'recorder-one' })).status).toBe(403);
    expect((await runCommand(service.database, ['queue', 'show'])).out).toContain('see "events list"');
  });

  it('redelivers the dead letters of a document or consumer', async () => {
    const first = await makeDeadLetter();
    const others = [await makeDeadLetter(), await makeDeadLetter()];
    const { browser, email } = await createOperator(service);
    const retry = (body: object, options = {}) => browser.post('/operator/events/retry', body, options);
    const ofFirst = { consumer: 'recorder-one', documentId: first.documentId };
    expect((await retry(ofFirst, { csrfToken: null })).status).toBe(403);
    expect((await retry(ofFirst)).body).toEqual({ events: 1 } satisfies RetriedEventsDto);
    await service.settle();
    expect(await statusesOf('recorder-one', first.documentId)).toEqual(WHOLE_LIFE);
    for (const { documentId } of others) expect(await statusesOf('recorder-one', documentId)).toEqual([]);
    expect((await retry({ consumer: 'recorder-one' })).body).toEqual({ events: 2 });
    expect((await retry({ consumer: 'recorder-one' })).body).toEqual({ events: 0 });
    await service.settle();
    for (const { documentId } of others) expect(await statusesOf('recorder-one', documentId)).toEqual(WHOLE_LIFE);
    const entries = (await readAudit(service, NO_ORGANISATION)).filter(({ actor }) => actor === email);
    expect(entries.filter(({ action }) => action === 'events.retried')).toMatchObject([
      { subject: 'recorder-one', details: { events: 1, documents: [first.documentId] } },
      { subject: 'recorder-one', details: { events: 2 } },
    ]);
    expect(await readAuditLines(service, tenant.tenantId)).toEqual([]);
  });

  it('rejects an unknown consumer or a malformed id', async () => {
    const { browser } = await createOperator(service);
    const unknown = await browser.post<Problem>('/operator/events/retry', { consumer: 'gone' });
    expect([unknown.status, unknown.body.code]).toEqual([409, 'state_conflict']);
    expect(unknown.body.message).toContain('registered are recorder-one, recorder-two');
    const noId = { consumer: 'recorder-one', documentId: 'x' };
    expect((await browser.post('/operator/events/retry', noId)).status).toBe(404);
    const missing = await browser.post<Problem>('/operator/events/retry', {});
    expect([missing.status, missing.body.errors]).toEqual([400, ['consumer is required']]);
  });
});

describe('without consumers', () => {
  it('events create no deliveries', async () => {
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
