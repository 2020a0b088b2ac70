import { describe, expect, it } from 'vitest';
import type { QueueReport } from '../../src/dispatcher/operations/queue-report.js';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { cancel, createTenant, readBalance, issue, readStatus, type TestTenant } from '../support/client.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { runQueueCommand } from '../support/queue-command.js';

// docs/rules.md#cancellation, docs/rules.md#after-validation

const service = await startFileService();
const tenant = await createTenant(service);

interface Issued {
  readonly documentId: string;
  readonly referenceId: string;
  readonly authorityUuid: string;
  read(): Promise<DocumentStatusDto>;
}

async function issued(referenceId = reference()): Promise<Issued> {
  const { submissionBatchId, documents } = await issue(service, tenant, invoice({ referenceId }));
  const [{ documentId, authorityUuid }] = documents;
  const read = async (): Promise<DocumentStatusDto> =>
    (await readStatus(service, tenant, submissionBatchId)).documents[0];
  return { documentId, referenceId, authorityUuid: authorityUuid ?? '', read };
}

/** Issues a credit note from another organisation with the same TIN, so that only the authority knows its invoice. */
async function issuedElsewhere(
  parent: Parameters<typeof creditNote>[0],
): Promise<{ owner: TestTenant; documentId: string }> {
  const [{ tin, idValue }] = await service.owner.query<{ tin: string; idValue: string }[]>(
    'SELECT tin, id_value AS "idValue" FROM tenant WHERE tenant_id = $1',
    [tenant.tenantId],
  );
  const owner = await createTenant(service, { profile: { tin, id_value: idValue } });
  const { status, documents } = await issue(service, owner, creditNote(parent));
  expect(status).toBe('Valid');
  return { owner, documentId: documents[0].documentId };
}

/** Cancels a document, or requests its rejection, in the portal. */
async function portal(uuid: string, action: 'cancel' | 'reject'): Promise<unknown> {
  return service.control('portal', { uuid, action });
}

describe('an accepted cancellation', () => {
  it('responds with 202 and costs one credit', async () => {
    const { documentId } = await issued();
    const before = await readBalance(service, tenant);
    const response = await cancel(service, tenant, { documentId });
    expect(response.status).toBe(202);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.body).toEqual({
      documentId,
      transactionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      warnings: [],
    });
    expect(response.headers.get('x-credits-charged')).toBe('1');
    expect(response.headers.get('x-credits-remaining')).toBe(String(before - 1));
    expect(await readBalance(service, tenant)).toBe(before - 1);
  });

  it('cancels the document at the authority', async () => {
    const { documentId, authorityUuid, read } = await issued();
    await cancel(service, tenant, { documentId });
    expect(await read()).toMatchObject({ authorityStatus: 'Valid', cancellation: { status: 'Queued' } });
    await service.settle();
    expect(await read()).toMatchObject({
      authorityStatus: 'Cancelled',
      cancelledAt: expect.any(String),
      cancellableUntil: null,
      cancellation: { status: 'Completed', errors: [] },
    });
    await expect(portal(authorityUuid, 'cancel'), 'the authority refuses a second one').rejects.toThrow(/400/);
  });

  it.each([
    ['no reason', {}],
    ['an empty reason', { cancellationReason: ' ' }],
  ])('has a default reason for %s', async (_, members) => {
    const { documentId, read } = await issued();
    await cancel(service, tenant, { documentId, ...members });
    expect((await read()).cancellation?.reason).toBe('Cancelled by the issuer');
  });

  it('may have a reason of 300 characters', async () => {
    const { documentId, read } = await issued();
    const body = { documentId: documentId.toUpperCase(), cancellationReason: 'é'.repeat(300) };
    const response = await cancel(service, tenant, body);
    expect(response.status, response.text).toBe(202);
    expect(response.body.documentId).toBe(documentId);
    await service.settle();
    expect((await read()).cancellation?.status).toBe('Completed');
  });
});

describe('several cancellations', () => {
  it('are sent in order of their deadlines', async () => {
    const earlier = await issued();
    await service.advance(3_600);
    const later = await issued();
    for (const { documentId } of [later, earlier]) await cancel(service, tenant, { documentId });
    const readStates = async (): Promise<unknown[]> =>
      (await Promise.all([earlier.read(), later.read()])).map(({ cancellation }) => cancellation?.status);
    await service.tick('cancel');
    expect(await readStates()).toEqual(['Completed', 'Queued']);
    await service.tick('cancel');
    expect(await readStates()).toEqual(['Completed', 'Completed']);
  });
});

describe('a cancellation that the authority refuses', () => {
  it('becomes Failed without a refund', async () => {
    const { documentId, read } = await issued(reference('SIM-NOCANCEL'));
    const before = await readBalance(service, tenant);
    const first = await cancel(service, tenant, { documentId });
    await service.settle();
    const failed = await read();
    expect(failed).toMatchObject({ authorityStatus: 'Valid', cancelledAt: null });
    expect(failed.cancellation).toMatchObject({
      transactionId: first.body.transactionId,
      status: 'Failed',
      errors: [{ authorityCode: 'OperationPeriodOver', authorityMessage: expect.stringMatching(/./) }],
    });
    expect(await readBalance(service, tenant)).toBe(before - 1);
  });

  it('closes the cancellation window if it is too late', async () => {
    const { documentId, read } = await issued(reference('SIM-NOCANCEL'));
    expect((await read()).cancellableUntil).toEqual(expect.any(String));
    await cancel(service, tenant, { documentId });
    await service.settle();
    expect((await read()).cancellableUntil).toBeNull();
  });

  it('can be requested again if the refusal is not final', async () => {
    const { documentId, authorityUuid, referenceId, read } = await issued();
    const note = await issuedElsewhere({ referenceId, authorityUuid });
    const before = await readBalance(service, tenant);
    await cancel(service, tenant, { documentId });
    await service.settle();
    const errors = [{ authorityCode: 'ActiveReferencingDocuments' }];
    expect((await read()).cancellation).toMatchObject({ status: 'Failed', errors });
    await cancel(service, note.owner, { documentId: note.documentId });
    await service.settle();
    expect((await cancel(service, tenant, { documentId })).status).toBe(202);
    await service.settle();
    expect((await read()).authorityStatus).toBe('Cancelled');
    expect(await readBalance(service, tenant)).toBe(before - 2);
  });
});

describe('a cancellation after a failed call', () => {
  it.each(['drop-after', 'http-500-after', 'truncated-json'])(
    'is looked up before it is resent after %s',
    async (fault) => {
      const { documentId, read } = await issued();
      await cancel(service, tenant, { documentId });
      await service.control('faults', [{ when: { api: 'cancel' }, fault }]);
      await service.tick('cancel');
      expect((await read()).cancellation?.status).toBe('Processing');
      await service.settle();
      expect(await read()).toMatchObject({ authorityStatus: 'Cancelled', cancellation: { status: 'Completed' } });
    },
  );

  it.each(['drop-before', 'http-500-before', 'http-503', '429-seconds'])('is resent after %s', async (fault) => {
    const { documentId, read } = await issued();
    await cancel(service, tenant, { documentId });
    await service.control('faults', [{ when: { api: 'cancel' }, fault }]);
    await service.tick('cancel');
    expect((await read()).authorityStatus).toBe('Valid');
    await service.settle();
    expect(await read()).toMatchObject({ authorityStatus: 'Cancelled', cancellation: { status: 'Completed' } });
  });

  it.each(['not-found', 'http-503'])(
    'is resent after drop-before even if the details call returns %s',
    async (fault) => {
      const { documentId, referenceId, read } = await issued();
      await cancel(service, tenant, { documentId });
      await service.control('faults', [
        { when: { api: 'cancel' }, fault: 'drop-before' },
        { when: { api: 'details', referenceId }, fault, times: 1_000 },
      ]);
      await service.settle();
      expect(await read()).toMatchObject({ authorityStatus: 'Cancelled', cancellation: { status: 'Completed' } });
    },
  );

  describe('after drop-after with unreadable details', () => {
    async function cancelled(): Promise<Issued> {
      const document = await issued();
      const { documentId, referenceId, read } = document;
      await cancel(service, tenant, { documentId });
      await service.control('faults', [
        { when: { api: 'cancel' }, fault: 'drop-after' },
        { when: { api: 'details', referenceId }, fault: 'not-found', times: 1_000 },
      ]);
      for (let call = 0; call < 3; call += 1) {
        await service.tick('cancel');
        await service.advance(301);
      }
      expect(await read()).toMatchObject({ authorityStatus: 'Valid', cancellation: { status: 'Processing' } });
      return document;
    }

    it('becomes Completed when a poll returns the cancelled document', async () => {
      const { read } = await cancelled();
      await service.advance(3_600);
      while ((await service.tick('poll')) > 0);
      const { authorityStatus, cancelledAt } = await read();
      expect(authorityStatus).toBe('Cancelled');
      await service.tick('cancel');
      expect(await read()).toMatchObject({ cancelledAt, cancellation: { status: 'Completed', errors: [] } });
    });

    it('is listed as in doubt by "queue show"', async () => {
      await cancelled();
      await service.tick('housekeeping');
      const { tenantQueues } = JSON.parse((await runQueueCommand(service, 'show', '--json')).out) as QueueReport;
      expect(tenantQueues.filter(({ operation }) => operation === 'cancel')).toMatchObject([
        { waiting: 0, processing: 0, inDoubt: 1, waitingCode: 'in_doubt' },
      ]);
      await service.advance(72 * 3_600);
      await service.settle();
    });

    it('becomes Failed when the authority refuses it after 72 hours', async () => {
      const { read } = await cancelled();
      await service.advance(72 * 3_600);
      await service.tick('cancel');
      expect((await read()).cancellation).toMatchObject({
        status: 'Failed',
        errors: [{ authorityCode: 'IncorrectState' }],
      });
      await service.settle();
    });
  });

  it('is resent with a new token after a 401', async () => {
    const { documentId, read } = await issued();
    await cancel(service, tenant, { documentId });
    await service.control('faults', [{ when: { api: 'cancel' }, fault: '401' }]);
    await service.settle();
    expect(await read()).toMatchObject({ authorityStatus: 'Cancelled', cancellation: { status: 'Completed' } });
  });

  it('remains in progress after a 200 response with an error', async () => {
    const { documentId, read } = await issued();
    await cancel(service, tenant, { documentId });
    await service.control('faults', [{ when: { api: 'cancel' }, fault: 'cancel-200-with-error' }]);
    await service.tick('cancel');
    expect(await read()).toMatchObject({ authorityStatus: 'Valid', cancelledAt: null });
    await service.settle();
  });

  it('becomes Completed if the document was cancelled in the portal', async () => {
    const { documentId, authorityUuid, read } = await issued();
    await cancel(service, tenant, { documentId });
    await portal(authorityUuid, 'cancel');
    await service.settle();
    expect(await read()).toMatchObject({ authorityStatus: 'Cancelled', cancellation: { status: 'Completed' } });
  });
});

describe('a poll of a valid document', () => {
  it('detects a cancellation in the portal', async () => {
    const document = invoice();
    const { submissionBatchId, documents } = await issue(service, tenant, document);
    await portal(documents[0].authorityUuid ?? '', 'cancel');
    await pollLater();
    const status = await readStatus(service, tenant, submissionBatchId);
    expect(status.status).toBe('Cancelled');
    expect(status.documents[0]).toMatchObject({ authorityStatus: 'Cancelled', cancelledAt: expect.any(String) });
    expect(status.documents[0].cancellation).toBeNull();
    const again = await issue(service, tenant, document);
    expect(again.documents[0]).toMatchObject({ documentId: documents[0].documentId, authorityStatus: 'Valid' });
  });

  it("detects a buyer's request for rejection", async () => {
    const { authorityUuid, read } = await issued();
    await portal(authorityUuid, 'reject');
    await pollLater();
    expect(await read()).toMatchObject({ authorityStatus: 'Valid', rejectionRequestedAt: expect.any(String) });
  });

  /** Polls all documents that may still change. */
  async function pollLater(): Promise<void> {
    await service.advance(2 * 3_600);
    while ((await service.tick('poll')) > 0);
  }
});
