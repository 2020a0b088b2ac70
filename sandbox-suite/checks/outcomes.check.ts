import { describe, expect, it } from 'vitest';
import { invoice } from '../documents.js';
import { reservedBatch, stuckBatch } from '../fixtures.js';
import { accept, expectRefused, follow, hasNoSimulator, once, readStatus, submit } from '../suite.js';

/** A resubmission of invalid and failed documents with the same numbers. */
const resubmitted = once(async () => {
  const { documents, submissionBatchId } = await reservedBatch();
  const before = [documents.resubmitted, documents.rejectedAgain];
  const accepted = await submit(before.map(({ referenceId }) => invoice(referenceId)));
  expect(accepted.status, accepted.text).toBe(200);
  const status = await follow(accepted.body.submissionBatchId);
  return { before, accepted, status, earlier: await readStatus(submissionBatchId) };
});

describe.skipIf(hasNoSimulator)('document outcome (simulator only)', () => {
  it('states reason and field of an Invalid document', async () => {
    const { buyerInvalid } = (await reservedBatch()).documents;
    expect(buyerInvalid).toMatchObject({ submissionStatus: 'Submitted', authorityStatus: 'Invalid' });
    expect(buyerInvalid.errors).toMatchObject([
      {
        authorityCode: 'CF358',
        code: 'buyer_tin_invalid',
        pointer: expect.stringMatching(/^\/documents\/2\/recipient\/tin$/) as string,
      },
    ]);
    expect(buyerInvalid.cancellableUntil).toBeNull();
  });

  it('reports a code that is not in its code list', async () => {
    const { invalid } = (await reservedBatch()).documents;
    expect(invalid.errors).toMatchObject([{ authorityCode: 'CV302', code: 'code_not_in_list' }]);
  });

  it('is SubmitFailed for a document that the authority rejects at submission', async () => {
    const { rejected } = (await reservedBatch()).documents;
    expect(rejected).toMatchObject({ submissionStatus: 'SubmitFailed', authorityStatus: null, authorityUuid: null });
    expect(rejected.errors).toMatchObject([{ authorityCode: 'CF349', code: 'buyer_phone_missing' }]);
  });

  it('is independent of other documents in the request', async () => {
    expect((await reservedBatch()).documents.valid).toMatchObject({ authorityStatus: 'Valid', errors: [] });
  });

  it('lists the reserved numbers for an unknown one', async () => {
    const { unknownName } = (await reservedBatch()).documents;
    expect(unknownName.submissionStatus).toBe('SubmitFailed');
    expect(JSON.stringify(unknownName.errors)).toContain('SIM-INVALID');
  });

  it('is Valid after a slow validation', async () => {
    expect((await reservedBatch()).documents.slow).toMatchObject({ authorityStatus: 'Valid' });
  });

  it('must be final before the document can be resubmitted', async () => {
    const { referenceId } = (await stuckBatch()).documents.stuck;
    const body = expectRefused(await submit([invoice(referenceId)]), 409, 'duplicate_document');
    expect(body).toMatchObject({ submissionStatus: 'Submitted', authorityStatus: 'Submitted' });
  });

  it('is charged again after a resubmission', async () => {
    expect((await resubmitted()).accepted.headers.get('x-credits-charged')).toBe('2');
  });

  it('belongs to a new transaction of the same document after a resubmission', async () => {
    const { before, status } = await resubmitted();
    for (const [index, { documentId, transactionId }] of before.entries()) {
      expect(status.documents[index].documentId).toBe(documentId);
      expect(status.documents[index].transactionId).not.toBe(transactionId);
    }
  });

  it('stays unchanged in the earlier batch after a resubmission', async () => {
    const { before, earlier } = await resubmitted();
    expect(earlier.documents).toEqual(expect.arrayContaining([...before]));
    expect(earlier.status).toBe('PartiallyValid');
  });

  it('determines whether the batch is Invalid or SubmitFailed', async () => {
    const { status } = await resubmitted();
    expect(status).toMatchObject({ status: 'Invalid', terminal: true, counts: { invalid: 1, submitFailed: 1 } });
    const { submissionBatchId } = await accept([invoice(status.documents[1].referenceId)]);
    expect(await follow(submissionBatchId)).toMatchObject({ status: 'SubmitFailed', terminal: true });
  });
});
