import { describe, expect, it } from 'vitest';
import { accept, cancel, createTenant, get, issue, readStatus } from '../support/client.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// docs/rules.md#statuses, docs/rules.md#status-response

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const AUTHORITY_ID = /^[0-9A-Z]{26}$/;

const service = await startFileService();
const tenant = await createTenant(service);

const instant = expect.stringMatching(INSTANT);
const uuid = expect.stringMatching(UUID);

/** A queued document. */
function queuedDocument(referenceId: string): Record<string, unknown> {
  return {
    documentId: uuid,
    transactionId: uuid,
    documentType: 'invoice',
    referenceId,
    submissionStatus: 'Queued',
    authorityStatus: null,
    authorityUuid: null,
    authoritySubmissionUid: null,
    authorityLongId: null,
    validationUrl: null,
    totals: { totalExcludingTax: 190, totalTaxAmount: 15.2, totalIncludingTax: 205.2, totalPayableAmount: 205.2 },
    issuedAt: null,
    submittedAt: null,
    validatedAt: null,
    cancellableUntil: null,
    cancelledAt: null,
    rejectionRequestedAt: null,
    heldFor: null,
    waiting: null,
    errors: [],
    cancellation: null,
  };
}

/** A document at the authority. */
function validDocument(referenceId: string): Record<string, unknown> {
  return {
    ...queuedDocument(referenceId),
    submissionStatus: 'Submitted',
    authorityStatus: 'Valid',
    authorityUuid: expect.stringMatching(AUTHORITY_ID),
    authoritySubmissionUid: expect.stringMatching(AUTHORITY_ID),
    authorityLongId: expect.any(String),
    validationUrl: expect.stringMatching(/^http.*\/share\//),
    issuedAt: instant,
    submittedAt: instant,
    validatedAt: instant,
    cancellableUntil: instant,
  };
}

describe('the status response', () => {
  it('contains all members, which are null until known', async () => {
    const referenceId = reference();
    const { submissionBatchId, documents } = await accept(service, tenant, [invoice({ referenceId })]);
    const response = await get(service, tenant, `/v1/saas/submissions/${submissionBatchId}/status`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.body).toStrictEqual({
      submissionBatchId,
      submissionType: 'non-consolidated',
      environment: 'sandbox',
      status: 'Queued',
      terminal: false,
      createdAt: instant,
      updatedAt: instant,
      documentCount: 1,
      counts: { queued: 1, processing: 0, submitted: 0, valid: 0, invalid: 0, cancelled: 0, submitFailed: 0 },
      nextPollAfterSeconds: 2,
      documents: [queuedDocument(referenceId)],
    });
    expect(response.body.documents[0].documentId).toBe(documents[0].documentId);
    await service.settle();
  });

  it('describes a valid document', async () => {
    const referenceId = reference();
    const status = await issue(service, tenant, invoice({ referenceId }));
    expect(status).toMatchObject({ status: 'Valid', terminal: true, nextPollAfterSeconds: null });
    const [document] = status.documents;
    expect(document).toStrictEqual(validDocument(referenceId));
    const times = [document.issuedAt, document.submittedAt, document.validatedAt].map((at) => Date.parse(at ?? ''));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(Date.parse(document.cancellableUntil ?? '') - times[2]).toBe(72 * 3_600_000);
    expect(Date.parse(status.updatedAt)).toBeGreaterThan(Date.parse(status.createdAt));
    const [sent] = (await service.wireLog()).filter(({ number }) => number === referenceId);
    expect(document).toMatchObject({ authorityUuid: sent.uuid, authoritySubmissionUid: sent.submissionUid });
  });

  it('contains a working link to the authority', async () => {
    const [{ validationUrl }] = (await issue(service, tenant, invoice())).documents;
    expect((await fetch(validationUrl ?? '')).status).toBe(200);
  });

  it('contains SubmitFailed for a document rejected by the authority', async () => {
    const referenceId = reference('SIM-REJECT-CF349');
    const [document] = (await issue(service, tenant, invoice({ referenceId }))).documents;
    expect(document).toMatchObject({ submissionStatus: 'SubmitFailed', authorityStatus: null, authorityUuid: null });
    expect(document.errors[0]).toMatchObject({ authorityCode: 'CF349' });
  });

  it('contains the cancellation of a cancelled document', async () => {
    const [{ documentId }] = (await issue(service, tenant, invoice())).documents;
    const batchId = await findBatchId(documentId);
    const { body } = await cancel(service, tenant, { documentId, cancellationReason: 'Wrong buyer' });
    const requested = await readStatus(service, tenant, batchId);
    const cancellation = { transactionId: body.transactionId, reason: 'Wrong buyer', requestedAt: instant, errors: [] };
    expect(requested.documents[0]).toMatchObject({ authorityStatus: 'Valid', cancelledAt: null });
    expect(requested.documents[0].cancellation).toStrictEqual({ ...cancellation, status: 'Queued' });
    await service.settle();
    const ended = await readStatus(service, tenant, batchId);
    expect(ended.documents[0]).toMatchObject({
      submissionStatus: 'Submitted',
      authorityStatus: 'Cancelled',
      cancelledAt: instant,
      cancellation: { ...cancellation, status: 'Completed' },
    });
  });

  it('is identical for an upper-case batch id', async () => {
    const { submissionBatchId } = await accept(service, tenant, [invoice()]);
    expect((await readStatus(service, tenant, submissionBatchId.toUpperCase())).submissionBatchId).toBe(
      submissionBatchId,
    );
    await service.settle();
  });
});

describe('the status of a terminal batch', () => {
  /** The outcome of each document. */
  type End = 'valid' | 'invalid' | 'failed' | 'cancelled';
  const PREFIX: Record<End, string> = {
    valid: 'INV',
    invalid: 'SIM-INVALID-CV302',
    failed: 'SIM-REJECT-CF349',
    cancelled: 'INV',
  };
  const batches: [status: string, ends: End[]][] = [
    ['Valid', ['valid', 'valid']],
    ['Valid', ['valid', 'cancelled']],
    ['PartiallyValid', ['valid', 'invalid']],
    ['PartiallyValid', ['valid', 'failed']],
    ['PartiallyValid', ['cancelled', 'invalid']],
    ['PartiallyValid', ['valid', 'cancelled', 'invalid', 'failed']],
    ['Invalid', ['invalid', 'invalid']],
    ['Invalid', ['invalid', 'failed']],
    ['SubmitFailed', ['failed', 'failed']],
    ['Cancelled', ['cancelled', 'cancelled']],
  ];

  it.each(batches)('is %s if its documents are %j', async (expected, ends) => {
    const documents = ends.map((end) => invoice({ referenceId: reference(PREFIX[end]) }));
    const { submissionBatchId, documents: accepted } = await accept(service, tenant, documents);
    await service.settle();
    for (const [index, { documentId }] of accepted.entries()) {
      if (ends[index] === 'cancelled') expect((await cancel(service, tenant, { documentId })).status).toBe(202);
    }
    await service.settle();
    const status = await readStatus(service, tenant, submissionBatchId);
    expect(status).toMatchObject({ status: expected, terminal: true, nextPollAfterSeconds: null });
    expect(status.documents.map(({ documentId }) => documentId)).toEqual(accepted.map(({ documentId }) => documentId));
    expect(status.counts).toEqual({
      queued: 0,
      processing: 0,
      submitted: 0,
      valid: ends.filter((end) => end === 'valid').length,
      invalid: ends.filter((end) => end === 'invalid').length,
      cancelled: ends.filter((end) => end === 'cancelled').length,
      submitFailed: ends.filter((end) => end === 'failed').length,
    });
  });
});

describe('the status of a batch in progress', () => {
  it('changes from Queued to Submitted to Valid', async () => {
    const { submissionBatchId } = await accept(service, tenant, [invoice(), invoice()]);
    expect(await summary(submissionBatchId)).toEqual(['Queued', false]);
    await service.tick('submit');
    expect(await summary(submissionBatchId)).toEqual(['Submitted', false]);
    await service.settle();
    expect(await summary(submissionBatchId)).toEqual(['Valid', true]);
  });

  it('is Processing while only some documents are submitted', async () => {
    const [parent] = (await issue(service, tenant, invoice())).documents;
    // Documents with the same number never share a call because the response identifies them by number.
    const referenceId = reference();
    const note = creditNote({ referenceId: parent.referenceId }, { referenceId });
    const { submissionBatchId } = await accept(service, tenant, [invoice({ referenceId }), note]);
    await service.tick('submit');
    const status = await readStatus(service, tenant, submissionBatchId);
    expect(status).toMatchObject({ status: 'Processing', terminal: false, counts: { queued: 1, submitted: 1 } });
    await service.settle();
    expect(await summary(submissionBatchId)).toEqual(['Valid', true]);
  });

  it('is Submitted while one document is still being validated', async () => {
    const documents = [invoice(), invoice({ referenceId: reference('SIM-SLOW-120') })];
    const { submissionBatchId } = await accept(service, tenant, documents);
    await service.tick('submit');
    await service.advance(10);
    await service.tick('poll');
    const status = await readStatus(service, tenant, submissionBatchId);
    expect(status).toMatchObject({ status: 'Submitted', terminal: false, counts: { submitted: 1, valid: 1 } });
    await service.settle();
    expect(await summary(submissionBatchId)).toEqual(['Valid', true]);
  });

  async function summary(submissionBatchId: string): Promise<[string, boolean]> {
    const { status, terminal } = await readStatus(service, tenant, submissionBatchId);
    return [status, terminal];
  }
});

async function findBatchId(documentId: string): Promise<string> {
  const [{ id }] = await service.owner.query<{ id: string }[]>(
    'SELECT submission_batch_id AS id FROM document_transaction WHERE document_id = $1',
    [documentId],
  );
  return id;
}
