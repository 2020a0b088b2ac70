import { describe, expect, it } from 'vitest';
import { accept, createTenant, readBalance, issue, readStatus, submit } from '../support/client.js';
import { creditNote, invoice, recipient } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const service = await startFileService();
const tenant = await createTenant(service);

describe('accepted batch', () => {
  it('returns a batch id and one document id per document, in request order', async () => {
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

  it('charges one credit per document and reports the charge in the headers', async () => {
    const payer = await createTenant(service, { credits: 7 });
    const response = await submit(service, payer, [invoice(), invoice(), invoice()]);
    expect(response.headers.get('x-credits-charged')).toBe('3');
    expect(response.headers.get('x-credits-remaining')).toBe('4');
    expect(await readBalance(service, payer)).toBe(4);
  });

  it('can contain 100 documents', async () => {
    const documents = Array.from({ length: 100 }, () => invoice());
    const batch = await accept(service, tenant, documents);
    expect(batch.documents.map(({ referenceId }) => referenceId)).toEqual(
      documents.map(({ referenceId }) => referenceId),
    );
  });

  it('distinguishes an invoice from a credit note with the same document number', async () => {
    const status = await issue(service, tenant, invoice({ referenceId: 'SAME-1' }));
    const note = creditNote({ referenceId: 'SAME-1' }, { referenceId: 'SAME-1' });
    const batch = await accept(service, tenant, [note]);
    expect(batch.documents[0].documentId).not.toBe(status.documents[0].documentId);
  });

  it('can contain both invoices and credit notes', async () => {
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

  it('can contain several credit notes for one invoice', async () => {
    await issue(service, tenant, invoice({ referenceId: 'MANY-PARENT' }));
    const notes = [1, 2, 3].map((n) => creditNote({ referenceId: 'MANY-PARENT' }, { referenceId: `MANY-${n}` }));
    expect((await issue(service, tenant, ...notes)).status).toBe('Valid');
  });
});

describe('consolidated document', () => {
  const consolidated = { submissionType: 'consolidated' };

  it.each([
    ['no recipient', undefined],
    ['a recipient, which is ignored', recipient],
    ['a recipient that would be refused elsewhere', { tin: 12, postcode: null }],
    ['a recipient that is no object', 'General Public'],
  ])('becomes Valid with %s', async (_, sent) => {
    const { submissionBatchId } = await accept(service, tenant, [invoice({ recipient: sent })], consolidated);
    await service.settle();
    expect(await readStatus(service, tenant, submissionBatchId)).toMatchObject({
      submissionType: 'consolidated',
      status: 'Valid',
    });
  });
});
