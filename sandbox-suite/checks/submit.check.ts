import { describe, expect, it } from 'vitest';
import { readNumber } from '../client.js';
import { asEnvelope, consolidatedInvoice, consolidatedNote, invoice } from '../documents.js';
import { validBatch } from '../fixtures.js';
import {
  accept,
  client,
  DRY_RUN,
  dryRun,
  expectRefused,
  freeOfCharge,
  number,
  once,
  post,
  readBalance,
  SUBMIT,
  submit,
  UUID,
} from '../suite.js';

const CONSOLIDATED = { type: 'consolidated' } as const;

/** A request with two invoices and a credit note. */
const mixed = once(async () => {
  const before = await readBalance();
  const parent = consolidatedInvoice(number());
  const sent = [
    parent,
    consolidatedInvoice(number()),
    consolidatedNote(number('CN'), { referenceId: parent.referenceId }),
  ];
  return { before, sent, response: await submit(sent, CONSOLIDATED) };
});

describe('POST /v1/einvoice/submit', () => {
  it('returns one batch with the documents in the order of the request', async () => {
    const { sent, response } = await mixed();
    expect(response.status, response.text).toBe(200);
    expect(response.body.submissionBatchId).toMatch(UUID);
    const expected = sent.map(({ documentType, referenceId }) => ({ documentType, referenceId }));
    expect(response.body.documents).toMatchObject(expected);
  });

  it('returns a unique id for every document', async () => {
    const ids = (await mixed()).response.body.documents.map(({ documentId }) => documentId);
    for (const id of ids) expect(id).toMatch(UUID);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('accepts invoices and credit notes in one request', async () => {
    const types = (await mixed()).response.body.documents.map(({ documentType }) => documentType);
    expect(types).toEqual(['invoice', 'invoice', 'credit_note']);
  });

  it('charges one credit per document', async () => {
    const { before, response } = await mixed();
    expect(readNumber(response.headers, 'x-credits-charged')).toBe(3);
    expect(readNumber(response.headers, 'x-credits-remaining')).toBe(before - 3);
    expect(await readBalance()).toBe(before - 3);
  });

  it('trims document numbers', async () => {
    const referenceId = number();
    const { documents } = await accept([consolidatedInvoice(` ${referenceId} `)], CONSOLIDATED);
    expect(documents[0].referenceId).toBe(referenceId);
  });

  it('accepts a document with a buyer', async () => {
    expect((await accept([invoice(number())])).warnings).toEqual([]);
  });

  it('accepts the same number for an invoice and a credit note', async () => {
    const { documents } = (await validBatch()).status;
    const [{ referenceId }] = documents;
    const { status, text } = await dryRun([consolidatedNote(referenceId, { referenceId })], CONSOLIDATED);
    expect(status, text).toBe(200);
  });
});

describe('POST /v1/einvoice/submit for an existing document', () => {
  it('is rejected with the status, id and batch of the document until it has an outcome', async () => {
    const document = consolidatedInvoice(number());
    const first = await accept([document], CONSOLIDATED);
    const body = expectRefused(await submit([document], CONSOLIDATED), 409, 'duplicate_document');
    expect(body).toMatchObject({
      documentType: 'invoice',
      referenceId: document.referenceId,
      documentId: first.documents[0].documentId,
      submissionBatchId: first.submissionBatchId,
    });
    expect(['Queued', 'Processing', 'Submitted']).toContain(body.submissionStatus);
    expect(body).toHaveProperty('authorityStatus');
  });

  it('is rejected if the document is valid', async () => {
    const { documents } = await validBatch();
    const { referenceId, documentId } = documents.plain;
    const body = expectRefused(
      await submit([consolidatedInvoice(referenceId)], CONSOLIDATED),
      409,
      'duplicate_document',
    );
    expect(body).toMatchObject({ referenceId, documentId, submissionStatus: 'Submitted', authorityStatus: 'Valid' });
  });

  it('rejects the whole request free of charge', async () => {
    const { documents } = await validBatch();
    const other = consolidatedInvoice(number());
    const request = [other, consolidatedInvoice(documents.plain.referenceId)];
    expectRefused(await freeOfCharge(() => submit(request, CONSOLIDATED)), 409, 'duplicate_document');
    expect((await dryRun([other], CONSOLIDATED)).status).toBe(200);
  });

  it('is rejected even in a dry run', async () => {
    const { documents } = await validBatch();
    const response = await dryRun([consolidatedInvoice(documents.plain.referenceId)], CONSOLIDATED);
    expectRefused(response, 409, 'duplicate_document');
  });
});

describe('POST /v1/einvoice/submit/dry-run', () => {
  it('returns the required credits without an idempotency-key', async () => {
    const documents = [consolidatedInvoice(number()), consolidatedInvoice(number())];
    const { status, headers, body } = await dryRun(documents, CONSOLIDATED);
    expect(status).toBe(200);
    expect(body).toMatchObject({ dryRun: true, requiredCredits: 2 });
    expect(headers.get('x-credits-charged')).toBe('0');
    expect(body).not.toHaveProperty('submissionBatchId');
  });

  it('returns the same response as submit with dryRun=true', async () => {
    const body = asEnvelope([consolidatedInvoice(number())], 'consolidated');
    const headers = { 'Content-Type': 'application/json' };
    const path = `${SUBMIT}?dryRun=true`;
    const response = await client.call({ method: 'POST', path, headers, body, isDescribed: false });
    expect([response.status, response.body]).toEqual([200, (await post(DRY_RUN, body, { key: null })).body]);
  });

  it('neither stores nor charges anything', async () => {
    const document = consolidatedInvoice(number());
    const response = await freeOfCharge(async () => {
      await dryRun([document], CONSOLIDATED);
      return dryRun([document], CONSOLIDATED);
    });
    expect(response.status).toBe(200);
  });
});
