import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { NextNumberDto, RememberedDto } from '../../src/dashboard-api/sending/dto/sending.dto.js';
import type { TransactionContentDto } from '../../src/dashboard-api/transactions/dto/transaction.dto.js';
import type { TransactionPageDto } from '../../src/dashboard-api/transactions/dto/transaction-row.dto.js';
import type { TaxpayerCheckDto } from '../../src/taxpayer/dto/taxpayer-check.dto.js';
import { createTenant, submit, type TestTenant } from '../support/client.js';
import { type Browser, signUpInto } from '../support/dashboard.js';
import { creditNote, invoice, line, recipient } from '../support/documents.js';
import type { Problem } from '../support/people.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService({ environments: ['sandbox', 'production'] });
let tenant: TestTenant;
let member: Browser;
let basePath: string;
beforeEach(async () => {
  tenant = await createTenant(service);
  member = await signUpInto(service, tenant.tenantId, 'member');
  basePath = `/organisations/${tenant.tenantId}/sandbox`;
});

async function send(document: object, options?: { submissionType: string }): Promise<void> {
  const response = await submit(service, tenant, [document], options);
  expect(response.status, response.text).toBe(200);
  await service.settle();
}

async function readRemembered(browser = member, path = basePath): Promise<RememberedDto> {
  const { status, text, body } = await browser.get<RememberedDto>(`${path}/remembered`);
  expect(status, text).toBe(200);
  return body;
}

describe('suggestions for the next invoice', () => {
  const other = { ...recipient, name: 'Kilang Contoh Sdn Bhd', tin: 'C1122334450', brn: '201501234567' };

  it('include each buyer and item of valid invoices once, latest first', async () => {
    const exact = {
      description: 'Chair',
      quantity: 3,
      unitPrice: 120,
      taxAmount: 28.8,
      taxType: '01',
      unitCode: 'H87',
    };
    await send(invoice({ lineItems: [line] }));
    await send(invoice({ recipient: other, lineItems: [exact, { ...line, unitPrice: 200, lineTotal: 390 }] }));
    await send(invoice());
    const { buyers, items } = await readRemembered();
    expect(buyers.map(({ name }) => name)).toEqual([recipient.name, other.name]);
    expect(buyers[1]).toEqual({ ...other, country: 'MYS' });
    expect(items).toEqual([
      { description: 'Consulting', unitPrice: 100, taxPercent: 8 },
      { description: 'Chair', unitPrice: 120, taxType: '01', unitCode: 'H87', taxPercent: 8 },
    ]);
    await send(
      invoice({
        recipient: buyers[1],
        lineItems: [Object.assign({}, line, items[1], { lineTotal: undefined, taxPercent: undefined })],
      }),
    );
  });

  it('exclude invalid and consolidated invoices and other environments', async () => {
    await send(invoice({ referenceId: 'SIM-INVALID-CV302-1' }));
    await send(invoice({ recipient: undefined }), { submissionType: 'consolidated' });
    expect(await readRemembered()).toEqual({ buyers: [], items: [] });
    await send(invoice());
    expect((await readRemembered()).buyers).toHaveLength(1);
    const production = `/organisations/${tenant.tenantId}/production`;
    expect(await readRemembered(member, production)).toEqual({ buyers: [], items: [] });
  });

  it('exclude invoices of other organisations', async () => {
    await send(invoice());
    const neighbour = await createTenant(service);
    const stranger = await signUpInto(service, neighbour.tenantId, 'owner');
    expect((await stranger.get(`${basePath}/remembered`)).status).toBe(404);
    const theirs = await readRemembered(stranger, `/organisations/${neighbour.tenantId}/sandbox`);
    expect(theirs).toEqual({ buyers: [], items: [] });
  });
});

describe('suggested document number', () => {
  async function readNumbers(browser = member, path = basePath): Promise<Record<string, string>> {
    const { status, text, body } = await browser.get<NextNumberDto[]>(`${path}/next-numbers`);
    expect(status, text).toBe(200);
    return Object.fromEntries(body.map(({ documentType, referenceId }) => [documentType, referenceId]));
  }

  async function sendByHand(document: object): Promise<void> {
    const body = { submission_type: 'non-consolidated', documents: [document] };
    const { status, text } = await member.post(`${basePath}/submissions`, body, {
      headers: { 'idempotency-key': randomUUID() },
    });
    expect(status, text).toBe(200);
  }

  it('is missing before the first document', async () => {
    expect(await readNumbers()).toEqual({});
  });

  it('follows the last number of its type without manual submissions', async () => {
    await send(invoice({ referenceId: 'INV-0041' }));
    await send(creditNote({ referenceId: 'INV-0041' }, { referenceId: 'CN-9' }));
    expect(await readNumbers()).toEqual({ invoice: 'INV-0042', credit_note: 'CN-10' });
  });

  it("follows any member's last manual submission", async () => {
    await sendByHand(invoice({ referenceId: 'HAND-1' }));
    await send(invoice({ referenceId: 'API-77' }));
    expect(await readNumbers()).toEqual({ invoice: 'HAND-2' });
    const viewer = await signUpInto(service, tenant.tenantId, 'viewer');
    expect(await readNumbers(viewer)).toEqual({ invoice: 'HAND-2' });
  });

  it('is the first unused number', async () => {
    for (const referenceId of ['INV-3', 'INV-4', 'INV-2']) await sendByHand(invoice({ referenceId }));
    expect(await readNumbers()).toEqual({ invoice: 'INV-5' });
  });

  it('ignores resubmissions of old documents', async () => {
    await sendByHand(invoice({ referenceId: 'SIM-INVALID-CV302-1' }));
    await sendByHand(invoice({ referenceId: 'INV-8' }));
    await service.settle();
    await sendByHand(invoice({ referenceId: 'SIM-INVALID-CV302-1' }));
    expect(await readNumbers()).toEqual({ invoice: 'INV-9' });
  });

  it('ignores other environments and organisations', async () => {
    await sendByHand(invoice({ referenceId: 'INV-1' }));
    expect(await readNumbers(member, `/organisations/${tenant.tenantId}/production`)).toEqual({});
    const neighbour = await createTenant(service);
    const stranger = await signUpInto(service, neighbour.tenantId, 'owner');
    expect((await stranger.get(`${basePath}/next-numbers`)).status).toBe(404);
    expect(await readNumbers(stranger, `/organisations/${neighbour.tenantId}/sandbox`)).toEqual({});
  });
});

describe('TIN check in the form', () => {
  it.each([
    ['C9876543210', true, null],
    ['EI00000000010', true, 'general'],
    ['NONSENSE', false, 'malformed'],
  ])('%s: %s', async (tin, valid, reason) => {
    const { status, text, body } = await member.post<TaxpayerCheckDto>(`${basePath}/tin-checks`, {
      tin,
      idType: 'BRN',
      idValue: '202001234567',
    });
    expect(status, text).toBe(200);
    expect(body).toMatchObject({ tin, valid, reason });
  });

  it('is rejected for missing fields and for viewers', async () => {
    const refused = await member.post<Problem>(`${basePath}/tin-checks`, { tin: 'C9876543210', idType: 'CARD' });
    expect(refused.status).toBe(400);
    expect(refused.body.details?.map(({ pointer }) => pointer)).toEqual(['/idType', '/idValue']);
    const viewer = await signUpInto(service, tenant.tenantId, 'viewer');
    const asked = { tin: 'C9876543210', idType: 'BRN', idValue: '202001234567' };
    expect((await viewer.post(`${basePath}/tin-checks`, asked)).status).toBe(403);
  });
});

const chair = { description: 'Chair', quantity: 1, unitPrice: 100, taxType: '01' };

async function findTransactionId(referenceId: string): Promise<string> {
  const { body } = await member.get<TransactionPageDto>(`${basePath}/transactions?reference=${referenceId}`);
  return body.items[0].transactionId;
}

async function readContent(referenceId: string): Promise<TransactionContentDto> {
  const path = `${basePath}/transactions/${await findTransactionId(referenceId)}/content`;
  const { status, text, body } = await member.get<TransactionContentDto>(path);
  expect(status, text).toBe(200);
  return body;
}

describe('document content', () => {
  it('links credit notes and invoices with their current status', async () => {
    await send(invoice({ referenceId: 'INV-1' }));
    await send(creditNote({ referenceId: 'INV-1' }, { referenceId: 'SIM-INVALID-CV302-2' }));
    await send(creditNote({ referenceId: 'INV-1' }, { referenceId: 'CN-2' }));
    await send(creditNote({ referenceId: 'INV-1' }, { referenceId: 'SIM-INVALID-CV302-2' }));
    const ofInvoice = await readContent('INV-1');
    expect(ofInvoice.parent).toBeNull();
    expect(ofInvoice.creditNotes.map(({ referenceId, status }) => [referenceId, status])).toEqual([
      ['SIM-INVALID-CV302-2', 'Invalid'],
      ['CN-2', 'Valid'],
    ]);
    const ofNote = await readContent('CN-2');
    expect(ofNote.creditNotes).toEqual([]);
    expect(ofNote.parent).toEqual({
      transactionId: await findTransactionId('INV-1'),
      documentType: 'invoice',
      referenceId: 'INV-1',
      status: 'Valid',
    });
    expect(ofNote.request.documents[0].relatedInvoice).toEqual({ referenceId: 'INV-1' });
  });

  it('shows the remainder of a partly credited invoice', async () => {
    await send(invoice({ referenceId: 'INV-5', lineItems: [{ ...chair, quantity: 3, taxAmount: 24 }] }));
    const parent = { referenceId: 'INV-5' };
    expect((await readContent('INV-5')).credited).toBeNull();
    await send(creditNote(parent, { referenceId: 'SIM-INVALID-CV302-5', lineItems: [{ ...chair, quantity: 3 }] }));
    expect((await readContent('INV-5')).credited).toBeNull();
    await send(creditNote(parent, { referenceId: 'CN-5', lineItems: [{ ...chair, taxAmount: 8 }] }));
    const { credited } = await readContent('INV-5');
    expect(credited).toMatchObject({ payableAmount: 324, leftAmount: 216 });
    expect(credited?.leftRequest?.documents[0].lineItems).toMatchObject([{ ...chair, quantity: 2, taxAmount: 16 }]);
    await send(creditNote(parent, { referenceId: 'CN-6', lineItems: [{ ...chair, unitPrice: 216, taxAmount: 0 }] }));
    expect((await readContent('INV-5')).credited).toEqual({ payableAmount: 324, leftAmount: 0, leftRequest: null });
  });

  it('lists a credit note that waits for its invoice', async () => {
    await submit(service, tenant, [invoice({ referenceId: 'INV-2' })]);
    await submit(service, tenant, [creditNote({ referenceId: 'INV-2' }, { referenceId: 'CN-3' })]);
    expect((await readContent('INV-2')).creditNotes.map(({ referenceId }) => referenceId)).toEqual(['CN-3']);
    expect((await readContent('CN-3')).parent).toMatchObject({ referenceId: 'INV-2', status: 'Queued' });
  });

  it('does not link a parent that has a different UUID at the authority', async () => {
    await send(invoice({ referenceId: 'INV-3' }));
    const elsewhere = { referenceId: 'INV-3', authorityUuid: 'F9D425P6DS7D8IU0123456789A' };
    await send(creditNote(elsewhere, { referenceId: 'CN-4' }));
    expect((await readContent('CN-4')).parent).toBeNull();
  });

  it('is not available to another organisation', async () => {
    await send(invoice({ referenceId: 'INV-4' }));
    const path = `/transactions/${await findTransactionId('INV-4')}/content`;
    const neighbour = await createTenant(service);
    const stranger = await signUpInto(service, neighbour.tenantId, 'owner');
    for (const base of [basePath, `/organisations/${neighbour.tenantId}/sandbox`]) {
      expect((await stranger.get(`${base}${path}`)).status).toBe(404);
    }
  });
});
