import { beforeEach, describe, expect, it } from 'vitest';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { createTenant, readBalance, readStatus, submit, type TestTenant } from '../support/client.js';
import { creditNote, invoice, recipient, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// A credit note is held until its parent has an outcome (docs/rules.md#credit-notes).

const DAY_SECONDS = 24 * 3_600;

const service = await startFileService({ simulator: { tokenSeconds: 30 * DAY_SECONDS } });
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await createTenant(service);
});

async function accepted(documents: unknown[]): Promise<string> {
  const response = await submit(service, tenant, documents);
  expect(response.text).toContain('submissionBatchId');
  expect(response.status).toBe(200);
  return response.body.submissionBatchId as string;
}

async function readDocuments(batchId: string): Promise<DocumentStatusDto[]> {
  return (await readStatus(service, tenant, batchId)).documents;
}

async function noteIn(batchId: string): Promise<DocumentStatusDto> {
  const note = (await readDocuments(batchId)).find(({ documentType }) => documentType === 'credit_note');
  if (note === undefined) throw new Error('The batch has no credit note');
  return note;
}

async function submittedNumbers(): Promise<unknown[]> {
  return (await service.wireLog()).map((entry) => entry.number);
}

describe('held credit note', () => {
  it('is sent once the invoice in its batch is Valid', async () => {
    const parent = invoice();
    const batchId = await accepted([creditNote({ referenceId: String(parent.referenceId) }), parent]);
    expect(await noteIn(batchId)).toMatchObject({
      submissionStatus: 'Queued',
      authorityStatus: null,
      heldFor: { documentType: 'invoice', referenceId: parent.referenceId },
      waiting: { code: 'held' },
    });
    await service.tick('submit');
    expect(await submittedNumbers()).toContain(parent.referenceId);
    expect(await noteIn(batchId)).toMatchObject({ submissionStatus: 'Queued', heldFor: expect.any(Object) });
    await service.settle();
    expect(await readStatus(service, tenant, batchId)).toMatchObject({ status: 'Valid' });
    expect(await noteIn(batchId)).toMatchObject({ heldFor: null, waiting: null, authorityStatus: 'Valid' });
  });

  it('is released by the tick that reads its parent as Valid', async () => {
    const parent = invoice();
    const batchId = await accepted([parent]);
    const noteBatch = await accepted([creditNote({ referenceId: String(parent.referenceId) })]);
    await service.tick('submit');
    await service.advance(10);
    await service.tick('poll');
    expect((await readDocuments(batchId))[0]).toMatchObject({ authorityStatus: 'Valid' });
    expect(await noteIn(noteBatch)).toMatchObject({ submissionStatus: 'Queued', heldFor: null });
    expect(await service.tick('submit')).toBe(1);
  });

  it('does not block other documents of its tenant', async () => {
    const parent = invoice({ referenceId: reference('SIM-SLOW-200') });
    const noteBatch = await accepted([parent, creditNote({ referenceId: String(parent.referenceId) })]);
    const others = await accepted([invoice(), invoice()]);
    for (let round = 0; round < 5; round += 1) {
      await service.tick('submit');
      await service.advance(10);
      await service.tick('poll');
    }
    expect(await readStatus(service, tenant, others)).toMatchObject({ status: 'Valid' });
    expect(await noteIn(noteBatch)).toMatchObject({ waiting: { code: 'held' } });
  });

  it.each([
    ['Invalid', 'SIM-INVALID-CV302'],
    ['SubmitFailed', 'SIM-REJECT-CF349'],
  ])('fails with a reason and a field path without a call if its parent becomes %s', async (state, prefix) => {
    const parent = invoice({ referenceId: reference(prefix) });
    const note = creditNote({ referenceId: String(parent.referenceId) });
    const batchId = await accepted([parent, note]);
    await service.settle();
    expect(await noteIn(batchId)).toMatchObject({
      submissionStatus: 'SubmitFailed',
      authorityStatus: null,
      heldFor: null,
      errors: [
        {
          code: 'parent_not_valid',
          message: expect.stringContaining(`ended ${state}`),
          pointer: '/documents/1/relatedInvoice/referenceId',
          hint: expect.any(String),
        },
      ],
    });
    expect(await submittedNumbers()).not.toContain(note.referenceId);
  });

  // Both happen between two polls, so that the first outcome that the service reads is Cancelled.
  it('fails if its parent is cancelled in the portal before the service reads it as Valid', async () => {
    const parent = invoice();
    const note = creditNote({ referenceId: String(parent.referenceId) });
    const batchId = await accepted([parent, note]);
    await service.tick('submit');
    await service.advance(10);
    const taken = (await service.wireLog()).find(({ number }) => number === parent.referenceId);
    await service.control('portal', { uuid: taken?.uuid, action: 'cancel' });
    await service.settle();
    expect(await readStatus(service, tenant, batchId)).toMatchObject({ status: 'PartiallyValid' });
    expect(await noteIn(batchId)).toMatchObject({
      submissionStatus: 'SubmitFailed',
      errors: [{ code: 'parent_not_valid', message: expect.stringContaining('ended Cancelled') }],
    });
    expect(await submittedNumbers()).not.toContain(note.referenceId);
  });

  it('survives a restart of all processes', async () => {
    const parent = invoice();
    const batchId = await accepted([parent, creditNote({ referenceId: String(parent.referenceId) })]);
    await service.restart();
    expect(await noteIn(batchId)).toMatchObject({ submissionStatus: 'Queued', waiting: { code: 'held' } });
    await service.tick('submit');
    await service.advance(10);
    await service.restart();
    // Polls of earlier tests may be due too, and each tick sends only one.
    while ((await service.tick('poll')) > 0);
    expect(await noteIn(batchId)).toMatchObject({ submissionStatus: 'Queued', heldFor: null });
    await service.settle();
    expect(await readStatus(service, tenant, batchId)).toMatchObject({ status: 'Valid' });
  });

  it('references the Valid attempt of its parent after an earlier attempt failed', async () => {
    const wrong = invoice();
    // The authority rejects this TIN format at submission (CF358).
    await accepted([{ ...wrong, recipient: { ...recipient, tin: 'X1234567890' } }]);
    await service.settle();
    await accepted([wrong]);
    const noteBatch = await accepted([creditNote({ referenceId: String(wrong.referenceId) })]);
    expect(await noteIn(noteBatch)).toMatchObject({ submissionStatus: 'Queued', waiting: { code: 'held' } });
    await service.settle();
    expect(await noteIn(noteBatch)).toMatchObject({ authorityStatus: 'Valid', heldFor: null });
    const [parent] = (await service.wireLog()).filter(({ number }) => number === wrong.referenceId);
    const [{ parentUuid }] = await service.owner.query<{ parentUuid: string }[]>(
      `SELECT parent_authority_uuid AS "parentUuid" FROM document_transaction
        WHERE parent_reference_id = $1 AND document_type = 'credit_note'`,
      [wrong.referenceId],
    );
    expect(parentUuid).toBe(parent.uuid);
  });

  it('expires after seven days', async () => {
    const parent = invoice({ referenceId: reference(`SIM-SLOW-${7 * DAY_SECONDS + 100}`) });
    const batchId = await accepted([parent, creditNote({ referenceId: String(parent.referenceId) })]);
    await service.tick('submit');
    await service.advance(7 * DAY_SECONDS - 60);
    await service.tick('hold');
    expect(await noteIn(batchId)).toMatchObject({ submissionStatus: 'Queued', waiting: { code: 'held' } });
    await service.advance(61);
    await service.tick('hold');
    expect(await noteIn(batchId)).toMatchObject({
      submissionStatus: 'SubmitFailed',
      errors: [{ code: 'parent_hold_expired', message: expect.stringContaining('seven days') }],
    });
  });

  it('can be submitted again for another charge after it fails', async () => {
    const parent = invoice({ referenceId: reference('SIM-REJECT-CF349') });
    const note = creditNote({ referenceId: String(parent.referenceId) });
    const batchId = await accepted([parent, note]);
    await service.settle();
    expect(await noteIn(batchId)).toMatchObject({ submissionStatus: 'SubmitFailed' });
    const before = await readBalance(service, tenant);
    const again = await accepted([parent, note]);
    expect(await readBalance(service, tenant)).toBe(before - 2);
    expect((await noteIn(again)).documentId).toBe((await noteIn(batchId)).documentId);
  });

  it('counts as Queued in its batch and in the duplicate check', async () => {
    const parent = invoice({ referenceId: reference('SIM-SLOW-100') });
    const note = creditNote({ referenceId: String(parent.referenceId) });
    const batchId = await accepted([note, parent]);
    expect((await submit(service, tenant, [note])).body).toMatchObject({
      code: 'duplicate_document',
      submissionStatus: 'Queued',
    });
    expect(await readStatus(service, tenant, batchId)).toMatchObject({ terminal: false, counts: { queued: 2 } });
  });

  it('depends on the latest attempt of its parent', async () => {
    const parent = invoice({ referenceId: reference('SIM-INVALID-CV302') });
    await accepted([parent]);
    await service.settle();
    const batchId = await accepted([parent, creditNote({ referenceId: String(parent.referenceId) })]);
    await service.tick('hold');
    expect(await noteIn(batchId)).toMatchObject({ submissionStatus: 'Queued', waiting: { code: 'held' } });
  });

  it('must have the same buyer as its parent even within one batch (DR308)', async () => {
    const parent = invoice();
    const other = { ...(parent.recipient as object), tin: 'C1111111110' };
    const response = await submit(service, tenant, [
      parent,
      creditNote({ referenceId: String(parent.referenceId) }, { recipient: other }),
    ]);
    expect(response.status).toBe(400);
    expect(response.body.details[0]).toMatchObject({ rule: 'related_invoice_other_buyer', documentIndex: 1 });
  });
});
