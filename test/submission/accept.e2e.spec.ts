import { describe, expect, it } from 'vitest';
import { accept, createTenant, readBalance, issue, post, refused, readStatus, submit } from '../support/client.js';
import { creditNote, invoice, recipient } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// Interface, endpoint 1 and "Resources and their fields".

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const service = await startFileService();
const tenant = await createTenant(service);

describe('an accepted batch', () => {
  it('answers 200 with one batch id and one document id each, in the order of submission', async () => {
    const references = ['Z-1', 'A-1', 'M-1', '10', '9'];
    const response = await submit(
      service,
      tenant,
      references.map((referenceId) => invoice({ referenceId })),
    );
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.body).toEqual({
      submissionBatchId: expect.stringMatching(UUID),
      documents: references.map((referenceId) => ({
        documentId: expect.stringMatching(UUID),
        documentType: 'invoice',
        referenceId,
      })),
      warnings: [],
    });
    const ids = response.body.documents.map(({ documentId }: { documentId: string }) => documentId);
    expect(new Set(ids).size).toBe(references.length);
  });

  it('charges one credit for each document and says so in X-Credits-Charged and X-Credits-Remaining', async () => {
    const payer = await createTenant(service, { credits: 7 });
    const response = await submit(service, payer, [invoice(), invoice(), invoice()]);
    expect(response.headers.get('x-credits-charged')).toBe('3');
    expect(response.headers.get('x-credits-remaining')).toBe('4');
    expect(await readBalance(service, payer)).toBe(4);
  });

  it('may spend the last credit', async () => {
    const payer = await createTenant(service, { credits: 2 });
    const response = await submit(service, payer, [invoice(), invoice()]);
    expect(response.status).toBe(200);
    expect(await readBalance(service, payer)).toBe(0);
  });

  it('is queued, not yet accepted by the authority', async () => {
    const { submissionBatchId } = await accept(service, tenant, [invoice()]);
    const status = await readStatus(service, tenant, submissionBatchId);
    expect(status).toMatchObject({ status: 'Queued', terminal: false });
    expect(status.documents[0]).toMatchObject({ submissionStatus: 'Queued', authorityStatus: null });
  });

  it('may hold 100 documents', async () => {
    const documents = Array.from({ length: 100 }, () => invoice());
    const batch = await accept(service, tenant, documents);
    expect(batch.documents.map(({ referenceId }) => referenceId)).toEqual(
      documents.map(({ referenceId }) => referenceId),
    );
  });

  it.each([
    ['document_date', { document_date: '2026-01-05' }],
    ['documentDate', { document_date: undefined, documentDate: '2026-01-05' }],
    ['both spellings with one value', { document_date: '2026-01-05', documentDate: '2026-01-05' }],
  ])('takes the date as %s', async (_, date) => {
    expect((await submit(service, tenant, [invoice(date)])).status).toBe(200);
  });

  it('keeps an invoice and a credit note with the same reference apart', async () => {
    const status = await issue(service, tenant, invoice({ referenceId: 'SAME-1' }));
    const note = creditNote({ referenceId: 'SAME-1' }, { referenceId: 'SAME-1' });
    const batch = await accept(service, tenant, [note]);
    expect(batch.documents[0].documentId).not.toBe(status.documents[0].documentId);
  });

  it('may mix invoices and credit notes, each answered with its type', async () => {
    await issue(service, tenant, invoice({ referenceId: 'MIX-PARENT' }));
    const status = await issue(
      service,
      tenant,
      invoice({ referenceId: 'MIX-1' }),
      creditNote({ referenceId: 'MIX-PARENT' }, { referenceId: 'MIX-2' }),
      invoice({ referenceId: 'MIX-3' }),
    );
    expect(status.status).toBe('Valid');
    expect(status.documents.map(({ documentType, referenceId }) => [documentType, referenceId])).toEqual([
      ['invoice', 'MIX-1'],
      ['credit_note', 'MIX-2'],
      ['invoice', 'MIX-3'],
    ]);
  });

  it('lets several credit notes refer to one invoice', async () => {
    await issue(service, tenant, invoice({ referenceId: 'MANY-PARENT' }));
    const notes = [1, 2, 3].map((n) => creditNote({ referenceId: 'MANY-PARENT' }, { referenceId: `MANY-${n}` }));
    expect((await issue(service, tenant, ...notes)).status).toBe('Valid');
  });
});

describe('totals', () => {
  it('are computed by the service, header discount and rounding included', async () => {
    const lineItems = [
      { description: 'Three of something', quantity: 3, unitPrice: 33.335, taxAmount: 6 },
      { description: 'Discounted', quantity: 1, unitPrice: 50, discount: 5.5 },
    ];
    const { submissionBatchId } = await accept(service, tenant, [
      invoice({ lineItems, totalDiscountAmount: 10, totalRoundingAmount: -0.01 }),
    ]);
    const [document] = (await readStatus(service, tenant, submissionBatchId)).documents;
    // 100.005 is 100.01; 100.01 + 44.50 - 10 = 134.51; + 6 tax - 0.01.
    expect(document.totals).toEqual({
      totalExcludingTax: 134.51,
      totalTaxAmount: 6,
      totalIncludingTax: 140.51,
      totalPayableAmount: 140.5,
    });
  });
});

describe('consolidated', () => {
  const consolidated = { submissionType: 'consolidated' };

  it.each([
    ['no recipient', undefined],
    ['a recipient, which is ignored', recipient],
    ['a recipient that would be refused elsewhere', { tin: 12, postcode: null }],
    ['a recipient that is no object', 'General Public'],
  ])('is accepted with %s, and becomes Valid', async (_, sent) => {
    const { submissionBatchId } = await accept(service, tenant, [invoice({ recipient: sent })], consolidated);
    await service.settle();
    expect(await readStatus(service, tenant, submissionBatchId)).toMatchObject({
      submissionType: 'consolidated',
      status: 'Valid',
    });
  });

  it('goes to the authority with the fixed buyer, whatever recipient was sent', async () => {
    const batch = await accept(service, tenant, [invoice({ recipient })], consolidated);
    await service.settle();
    const [{ document }] = await service.owner.query<{ document: string }[]>(
      `SELECT convert_from(a.bytes, 'UTF8') AS document FROM authority_document a
         JOIN document_transaction t ON t.tenant_id = a.tenant_id AND t.id = a.transaction_id
        WHERE t.submission_batch_id = $1`,
      [batch.submissionBatchId],
    );
    expect(document).toContain('General Public');
    expect(document).toContain('EI00000000010');
    expect(document).not.toContain(recipient.tin);
    expect(document).not.toContain(recipient.name);
  });
});

describe('the envelope', () => {
  const one = [invoice()];
  const refusals: [title: string, body: unknown, error: string][] = [
    ['without submission_type', { documents: one }, 'submission_type'],
    ['with another submission_type', { submission_type: 'Consolidated', documents: one }, 'submission_type'],
    ['with two submission types that differ', two('consolidated', 'non-consolidated'), 'submissionType'],
    ['without documents', { submission_type: 'non-consolidated' }, 'documents'],
    ['with documents that are no array', { submission_type: 'non-consolidated', documents: { 0: {} } }, 'documents'],
    ['with no document', { submission_type: 'non-consolidated', documents: [] }, 'documents'],
    ['with 101 documents', { submission_type: 'non-consolidated', documents: hundredAndOne() }, 'documents'],
    ['with a document that is null', { submission_type: 'non-consolidated', documents: [null] }, 'documents[0]'],
    ['that is an array', [one], 'the body'],
    ['that is null', null, 'the body'],
    ['that is a number', 7, 'the body'],
  ];

  function two(submission_type: string, submissionType: string): object {
    return { submission_type, submissionType, documents: one };
  }

  function hundredAndOne(): unknown[] {
    return Array.from({ length: 101 }, () => invoice());
  }

  it.each(refusals)('is refused with 400 %s', async (_, body, error) => {
    const response = await refused(service, tenant, () => submitBody(JSON.stringify(body)));
    expect(response.status).toBe(400);
    expect(
      response.body.errors.some((text: string) => text.startsWith(error)),
      response.text,
    ).toBe(true);
  });

  it('accepts submissionType as another spelling', async () => {
    const body = { submissionType: 'non-consolidated', documents: [invoice()] };
    expect((await submitBody(JSON.stringify(body))).status).toBe(200);
  });

  function submitBody(body: string): ReturnType<typeof post> {
    return post(service, tenant, { path: '/v1/einvoice/submit', body });
  }
});
