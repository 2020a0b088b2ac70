import { describe, expect, it } from 'vitest';
import { invoice } from '../documents.js';
import { reservedBatch, stuckBatch } from '../fixtures.js';
import { accept, expectRefused, follow, hasNoSimulator, once, readStatus, submit } from '../suite.js';

/** The documents that ended badly, submitted again under their numbers. */
const resubmitted = once(async () => {
  const { documents, submissionBatchId } = await reservedBatch();
  const before = [documents.resubmitted, documents.rejectedAgain];
  const accepted = await submit(before.map(({ referenceId }) => invoice(referenceId)));
  expect(accepted.status, accepted.text).toBe(200);
  const status = await follow(accepted.body.submissionBatchId);
  return { before, accepted, status, earlier: await readStatus(submissionBatchId) };
});

describe.skipIf(hasNoSimulator)('outcomes, where the simulator responds', () => {
  it('a document that the authority finds invalid is Invalid, with the reason and the field', async () => {
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

  it('a code of a list is found out the same way', async () => {
    const { invalid } = (await reservedBatch()).documents;
    expect(invalid.errors).toMatchObject([{ authorityCode: 'CV302', code: 'code_not_in_list' }]);
  });

  it('a document that the authority refuses at submission is SubmitFailed, with the reason', async () => {
    const { rejected } = (await reservedBatch()).documents;
    expect(rejected).toMatchObject({ submissionStatus: 'SubmitFailed', authorityStatus: null, authorityUuid: null });
    expect(rejected.errors).toMatchObject([{ authorityCode: 'CF349', code: 'buyer_phone_missing' }]);
  });

  it('one bad document leaves the others of its request alone', async () => {
    expect((await reservedBatch()).documents.valid).toMatchObject({ authorityStatus: 'Valid', errors: [] });
  });

  it('a reserved number that does not exist is refused, with the list of those that do', async () => {
    const { unknownName } = (await reservedBatch()).documents;
    expect(unknownName.submissionStatus).toBe('SubmitFailed');
    expect(JSON.stringify(unknownName.errors)).toContain('SIM-INVALID');
  });

  it('a slow validation ends Valid', async () => {
    expect((await reservedBatch()).documents.slow).toMatchObject({ authorityStatus: 'Valid' });
  });

  it('a document that is still being validated cannot be submitted again', async () => {
    const { referenceId } = (await stuckBatch()).documents.stuck;
    const body = expectRefused(await submit([invoice(referenceId)]), 409, 'duplicate_document');
    expect(body).toMatchObject({ submissionStatus: 'Submitted', authorityStatus: 'Submitted' });
  });

  it('a bad document can be submitted again under its number, and is charged again', async () => {
    expect((await resubmitted()).accepted.headers.get('x-credits-charged')).toBe('2');
  });

  it('a resubmission keeps the document and has a new transaction', async () => {
    const { before, status } = await resubmitted();
    for (const [index, { documentId, transactionId }] of before.entries()) {
      expect(status.documents[index].documentId).toBe(documentId);
      expect(status.documents[index].transactionId).not.toBe(transactionId);
    }
  });

  it('the earlier batch keeps its own outcome', async () => {
    const { before, earlier } = await resubmitted();
    expect(earlier.documents).toEqual(expect.arrayContaining([...before]));
    expect(earlier.status).toBe('PartiallyValid');
  });

  it('a batch whose documents are all invalid is Invalid, and one whose documents all failed SubmitFailed', async () => {
    const { status } = await resubmitted();
    expect(status).toMatchObject({ status: 'Invalid', terminal: true, counts: { invalid: 1, submitFailed: 1 } });
    const { submissionBatchId } = await accept([invoice(status.documents[1].referenceId)]);
    expect(await follow(submissionBatchId)).toMatchObject({ status: 'SubmitFailed', terminal: true });
  });
});
