import type { QueryRunner } from 'typeorm';
import { beforeEach, describe, expect, it } from 'vitest';
import { accept, cancel, createTenant, issue, readStatus, submit, type TestTenant } from '../support/client.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// Forces lock and commit orders that otherwise occur only under load: the test holds a row that one side needs until
// the other side has reached its position.

const service = await startFileService({
  simulator: { lateAnswerMs: 1_500 },
  environment: { DATABASE_POOL_SIZE: '20', AUTHORITY_DEADLINE_SECONDS: '8' },
});
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await createTenant(service);
});

/** Runs an action while a transaction of the test locks rows. */
async function holding<T>(lock: string, parameters: unknown[], work: (holder: QueryRunner) => Promise<T>): Promise<T> {
  const holder = service.owner.createQueryRunner();
  await holder.startTransaction();
  try {
    expect(await holder.query(`${lock} FOR UPDATE`, parameters), 'the row to be held').toHaveLength(1);
    return await work(holder);
  } finally {
    await holder.commitTransaction();
    await holder.release();
  }
}

async function untilWaiting(calls: number): Promise<void> {
  const waiting = `SELECT count(*)::integer AS calls FROM pg_stat_activity
                    WHERE datname = current_database() AND pid IN (SELECT pid FROM pg_locks WHERE NOT granted)`;
  const count = async (): Promise<number> => (await service.owner.query<{ calls: number }[]>(waiting))[0].calls;
  await expect.poll(count, { interval: 20 }).toBe(calls);
}

describe('a credit note that is accepted while its parent becomes Valid', () => {
  const DOCUMENT = `SELECT id FROM document WHERE tenant_id = $1 AND reference_id = $2`;
  const TRANSACTION = `SELECT id FROM document_transaction WHERE tenant_id = $1 AND reference_id = $2`;
  const SUBMISSION = `SELECT id FROM authority_submission WHERE tenant_id = $1 AND environment = $2`;

  /** An invoice that the authority has validated but the service has not polled. */
  async function parentAboutToBeValid(): Promise<string> {
    const referenceId = reference();
    await accept(service, tenant, [invoice({ referenceId })]);
    await service.tick('submit');
    await service.advance(10);
    return referenceId;
  }

  async function readNote(batchId: string): Promise<object> {
    const [note] = (await readStatus(service, tenant, batchId)).documents;
    return { submissionStatus: note.submissionStatus, heldFor: note.heldFor?.referenceId ?? null };
  }

  async function becomesValid(batchId: string): Promise<void> {
    await service.settle();
    expect((await readStatus(service, tenant, batchId)).status).toBe('Valid');
  }

  it('is queued if the parent becomes Valid between the read and the write of the note', async () => {
    const referenceId = await parentAboutToBeValid();
    const accepting = await holding(DOCUMENT, [tenant.tenantId, referenceId], async (holder) => {
      const answer = accept(service, tenant, [creditNote({ referenceId })]);
      await service.blockedBy(holder);
      await service.tick('poll');
      return { answer };
    });
    const { submissionBatchId } = await accepting.answer;
    expect(await readNote(submissionBatchId)).toEqual({ submissionStatus: 'Queued', heldFor: null });
    await becomesValid(submissionBatchId);
  });

  it('is released by the poll of the parent if the note was stored first', async () => {
    const referenceId = await parentAboutToBeValid();
    const { polling, submissionBatchId } = await holding(
      TRANSACTION,
      [tenant.tenantId, referenceId],
      async (holder) => {
        const tick = service.tick('poll');
        await service.blockedBy(holder);
        const batch = await accept(service, tenant, [creditNote({ referenceId })]);
        expect(await readNote(batch.submissionBatchId)).toEqual({ submissionStatus: 'Queued', heldFor: referenceId });
        return { polling: tick, submissionBatchId: batch.submissionBatchId };
      },
    );
    await polling;
    expect(await readNote(submissionBatchId)).toEqual({ submissionStatus: 'Queued', heldFor: null });
    await becomesValid(submissionBatchId);
  });

  it('is released by the sweep if the poll missed the note', async () => {
    const referenceId = await parentAboutToBeValid();
    await service.control('faults', [{ when: { api: 'getSubmission' }, fault: 'late', times: 1 }]);
    const polling = service.tick('poll');
    const isClaimed = (): Promise<unknown[]> =>
      service.owner.query(`${SUBMISSION} AND polls = 1`, [tenant.tenantId, 'sandbox']);
    await expect.poll(isClaimed, { interval: 20 }).toHaveLength(1);
    // The last statement of the poll waits for this row. The parent is updated and its notes are decided, but
    // not committed.
    const batch = await holding(SUBMISSION, [tenant.tenantId, 'sandbox'], async () => {
      await untilWaiting(1);
      return accept(service, tenant, [creditNote({ referenceId })]);
    });
    await polling;
    expect(await readNote(batch.submissionBatchId)).toEqual({ submissionStatus: 'Queued', heldFor: referenceId });
    expect(await service.tick('hold')).toBe(1);
    expect(await readNote(batch.submissionBatchId)).toEqual({ submissionStatus: 'Queued', heldFor: null });
    await becomesValid(batch.submissionBatchId);
  });
});

it('locks the documents of two batches in the same order', async () => {
  const [first, second] = [reference('SIM-INVALID-CV302'), reference('SIM-INVALID-CV302')].sort();
  const documents = [first, second].map((referenceId) => invoice({ referenceId }));
  expect((await issue(service, tenant, ...documents)).status).toBe('Invalid');
  const LOCK = 'SELECT id FROM document WHERE tenant_id = $1 AND reference_id = $2';
  const calls = await holding(LOCK, [tenant.tenantId, first], async () => {
    const responses = [submit(service, tenant, documents), submit(service, tenant, documents.toReversed())];
    await untilWaiting(2);
    // Both wait for the first document in order. With locks in the order of their bodies, the other call would hold
    // this one.
    const [{ free }] = await service.owner.query<{ free: number }[]>(
      `SELECT count(*)::integer AS free FROM (${LOCK} FOR UPDATE SKIP LOCKED) AS unlocked`,
      [tenant.tenantId, second],
    );
    expect(free).toBe(1);
    return { answers: responses };
  });
  const statuses = (await Promise.all(calls.answers)).map(({ status }) => status).sort((a, b) => a - b);
  expect(statuses).toEqual([200, 409]);
});

it('assigns a cancellation to its own attempt after the document was submitted again', async () => {
  const document = invoice();
  const first = await issue(service, tenant, document);
  const [{ documentId, authorityUuid }] = first.documents;
  expect((await cancel(service, tenant, { documentId })).status).toBe(202);
  // The authority cancels the document by another channel. A poll detects this before the cancellation is sent.
  await service.control('portal', { uuid: authorityUuid, action: 'cancel' });
  await service.advance(3_600);
  while ((await service.tick('poll')) > 0);
  const again = await accept(service, tenant, [document]);
  await service.tick('submit');
  await service.advance(10);
  await service.tick('poll');
  expect(again.documents[0].documentId).toBe(documentId);
  await service.tick('cancel');
  await service.settle();
  expect((await readStatus(service, tenant, first.submissionBatchId)).documents[0]).toMatchObject({
    authorityStatus: 'Cancelled',
    authorityUuid,
    cancellation: { status: 'Completed' },
  });
  expect((await readStatus(service, tenant, again.submissionBatchId)).documents[0]).toMatchObject({
    documentId,
    authorityStatus: 'Valid',
    cancellation: null,
  });
});

describe('a tenant queue under constant load', () => {
  const QUEUE_ROW = `SELECT tenant_id FROM tenant_queue WHERE tenant_id = $1 AND environment = 'sandbox'`;

  it('accepts documents while a dispatcher holds it', async () => {
    await accept(service, tenant, [invoice()]);
    await holding(QUEUE_ROW, [tenant.tenantId], async () => {
      await accept(service, tenant, [invoice()]);
    });
  });

  it('is served while a batch is being accepted', async () => {
    const referenceId = reference();
    await accept(service, tenant, [invoice({ referenceId })]);
    const ACCOUNT = 'SELECT tenant_id FROM credit_account WHERE tenant_id = $1';
    const late = await holding(ACCOUNT, [tenant.tenantId], async (holder) => {
      const answer = accept(service, tenant, [invoice()]);
      await service.blockedBy(holder);
      while ((await service.tick('submit')) > 0);
      expect((await service.wireLog()).map(({ number }) => number)).toContain(referenceId);
      return { answer };
    });
    await late.answer;
    await service.settle();
  });
});
