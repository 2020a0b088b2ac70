import { describe, expect, it } from 'vitest';
import { consolidatedInvoice, consolidatedNote, creditNote, invoice, recipient } from '../documents.js';
import { reservedBatch, stuckBatch, validBatch } from '../fixtures.js';
import {
  accept,
  cancel,
  client,
  dryRun,
  expectBroken,
  expectRefused,
  follow,
  hasNoSimulator,
  number,
  once,
  statusPath,
  submit,
} from '../suite.js';

const CONSOLIDATED = { type: 'consolidated' } as const;
const PARENT = '/documents/0/relatedInvoice/referenceId';

/** First and last status of a request with an invoice and its credit note. */
const together = once(async () => {
  const parent = consolidatedInvoice(number());
  const { referenceId } = parent;
  const { submissionBatchId } = await accept([parent, consolidatedNote(number('CN'), { referenceId })], CONSOLIDATED);
  const { body } = await client.call({ path: statusPath(submissionBatchId) });
  return { referenceId, early: body, status: await follow(submissionBatchId) };
});

/** Two credit notes for a valid invoice, one with only the invoice number and one also with the uuid. */
const notes = once(async () => {
  const { referenceId, authorityUuid } = (await validBatch()).documents.noted;
  const documents = [
    consolidatedNote(number('CN'), { referenceId }),
    consolidatedNote(number('CN'), { referenceId, authorityUuid }),
  ];
  const { submissionBatchId } = await accept(documents, CONSOLIDATED);
  return follow(submissionBatchId);
});

describe('credit note', () => {
  it('is held until its invoice has an outcome', async () => {
    const { early, referenceId } = await together();
    expect(early.documents[1]).toMatchObject({
      submissionStatus: 'Queued',
      authorityStatus: null,
      heldFor: { documentType: 'invoice', referenceId },
      waiting: { code: 'held' },
    });
  });

  it('is sent once its invoice is valid', async () => {
    const { status } = await together();
    expect(status).toMatchObject({
      status: 'Valid',
      documents: [{ authorityStatus: 'Valid' }, { authorityStatus: 'Valid' }],
    });
    expect(status.documents[1]).toMatchObject({ heldFor: null, waiting: null });
  });

  it('may reference the same invoice as another credit note', async () => {
    expect(await notes()).toMatchObject({ status: 'Valid', counts: { valid: 2 } });
  });

  it('prevents the cancellation of its invoice', async () => {
    await notes();
    const { documentId } = (await validBatch()).documents.noted;
    expectRefused(await cancel({ documentId }), 409, 'active_referencing_documents');
  });

  it('is rejected for a cancelled invoice', async () => {
    const { submissionBatchId, documents } = await validBatch();
    const { documentId, referenceId } = documents.parent;
    expect((await cancel({ documentId })).status).toBe(202);
    // The note is rejected even before the cancellation has finished.
    expectBroken(await dryRun([consolidatedNote(number('CN'), { referenceId })], CONSOLIDATED), PARENT);
    await follow(submissionBatchId);
    expectBroken(await dryRun([consolidatedNote(number('CN'), { referenceId })], CONSOLIDATED), PARENT);
  });

  it('rejects NA as the uuid of an invoice from this service', async () => {
    const { referenceId } = (await validBatch()).documents.plain;
    const response = await dryRun([consolidatedNote(number('CN'), { referenceId, authorityUuid: 'NA' })], CONSOLIDATED);
    expect(response.body.details?.[0].rule, response.text).toBe('related_invoice_not_before_e_invoicing');
  });

  it('accepts NA as the uuid of an invoice issued before e-invoicing', async () => {
    const parent = { referenceId: number('OLD'), authorityUuid: 'NA' };
    expect((await dryRun([consolidatedNote(number('CN'), parent)], CONSOLIDATED)).status).toBe(200);
  });

  it('accepts the uuid of an invoice issued by another system', async () => {
    const parent = { referenceId: number('ELSEWHERE'), authorityUuid: 'F9D425P6DS7D8JV0123456789A' };
    expect((await dryRun([consolidatedNote(number('CN'), parent)], CONSOLIDATED)).status).toBe(200);
  });

  it('is rejected if its buyer differs from that of its invoice', async () => {
    const parent = invoice(number());
    const note = creditNote(
      number('CN'),
      { referenceId: parent.referenceId },
      { recipient: { ...recipient, tin: 'C1112223330' } },
    );
    const response = await dryRun([parent, note]);
    expectBroken(response, '/documents/1/relatedInvoice/referenceId', 'related_invoice_other_buyer');
  });
});

describe.skipIf(hasNoSimulator)('credit note (simulator only)', () => {
  it.each(['invalid', 'rejected'] as const)('is rejected for an invoice that is %s', async (name) => {
    const { referenceId } = (await reservedBatch()).documents[name];
    expectBroken(await dryRun([creditNote(number('CN'), { referenceId })]), PARENT);
  });

  it('fails if its invoice fails', async () => {
    const parent = invoice(number('SIM-INVALID-CV302'));
    const { submissionBatchId } = await accept([parent, creditNote(number('CN'), { referenceId: parent.referenceId })]);
    const { documents, status } = await follow(submissionBatchId);
    expect(status).toBe('Invalid');
    expect(documents[1]).toMatchObject({ submissionStatus: 'SubmitFailed', authorityStatus: null });
    expect(documents[1].errors).not.toEqual([]);
  });

  it('reserves its document number while it is on hold', async () => {
    const { referenceId } = (await stuckBatch()).documents.stuck;
    const note = creditNote(number('CN'), { referenceId });
    await accept([note]);
    const body = expectRefused(await submit([note]), 409, 'duplicate_document');
    expect(body).toMatchObject({ documentType: 'credit_note', submissionStatus: 'Queued', authorityStatus: null });
  });
});
