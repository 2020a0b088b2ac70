import { describe, expect, it } from 'vitest';
import {
  accept,
  type ApiResponse,
  cancel,
  createTenant,
  readBalance,
  issue,
  refused,
  readStatus,
  submit,
} from '../support/client.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService();
const tenant = await createTenant(service);

describe('resubmission', () => {
  const ended: [state: string, prefix: string][] = [
    ['Invalid', 'SIM-INVALID-CV302'],
    ['SubmitFailed', 'SIM-REJECT-CF349'],
    ['Cancelled', 'INV'],
  ];

  it.each(ended)('keeps the documentId, gets a new transactionId and is charged after %s', async (state, prefix) => {
    const referenceId = reference(prefix);
    const first = await issue(service, tenant, invoice({ referenceId }));
    if (state === 'Cancelled') await cancelled(first.documents[0].documentId);
    const before = await readStatus(service, tenant, first.submissionBatchId);
    expect(before.status).toBe(state);
    const credits = await readBalance(service, tenant);

    const again = await accept(service, tenant, [invoice({ referenceId })]);
    expect(again.submissionBatchId).not.toBe(first.submissionBatchId);
    expect(again.documents[0].documentId).toBe(first.documents[0].documentId);
    expect(await readBalance(service, tenant)).toBe(credits - 1);
    const status = await readStatus(service, tenant, again.submissionBatchId);
    expect(status.documents[0].transactionId).not.toBe(first.documents[0].transactionId);
    expect(status.documents[0]).toMatchObject({ submissionStatus: 'Queued', authorityStatus: null, errors: [] });

    await service.settle();
    // The earlier batch keeps its outcome.
    expect(await readStatus(service, tenant, first.submissionBatchId)).toEqual(before);
  });

  it('becomes Valid once the error of the Invalid document is corrected', async () => {
    const [parent] = (await issue(service, tenant, invoice())).documents;
    const referenceId = reference('CN');
    const wrong = { referenceId: parent.referenceId, authorityUuid: 'AAAAAAAAAAAAAAAAAAAAAAAAAA' };
    const first = await issue(service, tenant, creditNote(wrong, { referenceId }));
    expect(first.status).toBe('Invalid');
    const second = await issue(service, tenant, creditNote({ referenceId: parent.referenceId }, { referenceId }));
    expect(second.status).toBe('Valid');
    expect(second.documents[0].documentId).toBe(first.documents[0].documentId);
    expect(second.documents[0].authorityUuid).not.toBe(first.documents[0].authorityUuid);
  });

  it('is possible after each Invalid outcome', async () => {
    const referenceId = reference('SIM-INVALID-CV302');
    const ids = new Set<string>();
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const status = await issue(service, tenant, invoice({ referenceId }));
      expect(status.status).toBe('Invalid');
      ids.add(status.documents[0].documentId);
    }
    expect(ids.size).toBe(1);
  });
});

describe('resubmission during processing', () => {
  const stages: [stage: string, submissionStatus: string, authorityStatus: string | null][] = [
    ['Queued', 'Queued', null],
    ['Processing', 'Processing', null],
    ['Submitted', 'Submitted', 'Submitted'],
    ['Valid', 'Submitted', 'Valid'],
  ];

  it.each(stages)(
    'is rejected with 409 and the existing document while it is %s',
    async (stage, submissionStatus, authorityStatus) => {
      const owner = await createTenant(service);
      const referenceId = reference(stage === 'Processing' ? 'SIM-DROP' : 'SIM-SLOW-30');
      const batch = await accept(service, owner, [invoice({ referenceId })]);
      if (stage !== 'Queued') await service.tick('submit');
      if (stage === 'Valid') await service.settle();
      const response = await refused(service, owner, () => submit(service, owner, [invoice({ referenceId })]));
      expectDuplicate(response, { referenceId, submissionStatus, authorityStatus });
      expect(response.body).toMatchObject({
        documentId: batch.documents[0].documentId,
        submissionBatchId: batch.submissionBatchId,
      });
      await service.settle();
    },
  );
});

it('is rejected for a credit note as for an invoice', async () => {
  const parent = await issue(service, tenant, invoice());
  const { referenceId } = parent.documents[0];
  const note = creditNote({ referenceId });
  await accept(service, tenant, [note]);
  const response = await refused(service, tenant, () => submit(service, tenant, [note]));
  expect(response.body).toMatchObject({ code: 'duplicate_document', documentType: 'credit_note' });
});

async function cancelled(documentId: string): Promise<void> {
  expect((await cancel(service, tenant, { documentId })).status).toBe(202);
  await service.settle();
}

function expectDuplicate(response: ApiResponse, conflict: object): void {
  expect(response.status).toBe(409);
  expect(response.body).toEqual({
    message: expect.any(String),
    code: 'duplicate_document',
    requestId: expect.any(String),
    helpUrl: '/docs/errors/duplicate_document',
    documentType: 'invoice',
    documentId: expect.any(String),
    submissionBatchId: expect.any(String),
    details: expect.arrayContaining([expect.objectContaining(conflict)]),
    ...conflict,
  });
}
