import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createTenant, readBalance, issue, post, refused, readStatus, submit } from '../support/client.js';
import { invoice, line, recipient } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// What is doubtful about an accepted body is in its response (docs/rules.md#warnings).

const service = await startFileService();
const tenant = await createTenant(service);

it('takes a foreign address without a postcode and a phone without +, and both become Valid', async () => {
  const foreign = { ...recipient, country: 'SGP', postcode: undefined, state: undefined, phone: '0065 9123 4567' };
  const status = await issue(service, tenant, invoice({ recipient: foreign }));
  expect(status.status).toBe('Valid');
  const [{ text }] = await service.owner.query<{ text: string }[]>(
    `SELECT convert_from(bytes, 'UTF8') AS text FROM authority_document WHERE transaction_id = $1`,
    [status.documents[0].transactionId],
  );
  const [
    {
      Party: [buyer],
    },
  ] = JSON.parse(text).Invoice[0].AccountingCustomerParty;
  expect(buyer.PostalAddress[0]).not.toHaveProperty('PostalZone');
  expect(buyer.Contact[0].Telephone[0]._).toBe('+6591234567');

  const local = { ...recipient, phone: '03-9876 5432' };
  expect((await issue(service, tenant, invoice({ recipient: local }))).status).toBe('Valid');
});

it('refuses a negative line total and a year before 2000 before anything is stored or charged', async () => {
  const lineItems = [{ description: 'Sample', quantity: 1, unitPrice: 0, lineTotal: -0.01 }];
  const response = await refused(service, tenant, () =>
    submit(service, tenant, [invoice({ lineItems }), invoice({ document_date: '1999-12-31' })]),
  );
  expect(response.status).toBe(400);
  expect(response.body.details.map(({ rule }: { rule: string }) => rule)).toEqual([
    'line_line_total_minimum',
    'document_date_year',
  ]);
});

describe('warnings of an accepted batch', () => {
  it('are an empty array when there is nothing to say', async () => {
    const response = await submit(service, tenant, [invoice()]);
    expect(response.status).toBe(200);
    expect(response.body.warnings).toEqual([]);
    expect(response.body).not.toHaveProperty('warningsNotListed');
  });

  it('name unknown members and what was probably meant, and the document is accepted without them', async () => {
    const document = invoice({ referenceId: 'W-1', lineItems: [{ ...line, taxamount: 5 }] });
    const response = await post(service, tenant, {
      path: '/v1/einvoice/submit',
      body: { submission_type: 'non-consolidated', documents: [document], note: 'x' },
    });
    expect(response.status).toBe(200);
    expect(response.body.warnings).toEqual([
      {
        pointer: '/note',
        documentIndex: null,
        referenceId: null,
        rule: 'member_unknown',
        message: 'note is not a known field and was ignored',
        hint: null,
      },
      {
        pointer: '/documents/0/lineItems/0/taxamount',
        documentIndex: 0,
        referenceId: 'W-1',
        rule: 'member_unknown',
        message: 'documents[0].lineItems[0].taxamount is not a known field and was ignored',
        hint: 'did you mean taxAmount?',
      },
    ]);
  });

  it('name a member that is sent twice, of which the last counts; for a repeated call it is the body without it', async () => {
    const key = randomUUID();
    const once = JSON.stringify({
      submission_type: 'non-consolidated',
      documents: [invoice({ totalDiscountAmount: 5 })],
    });
    const twice = once.replace('"totalDiscountAmount":5', '"totalDiscountAmount":7,"totalDiscountAmount":5');
    const path = '/v1/einvoice/submit';
    const response = await post(service, tenant, { path, body: twice, key });
    expect(response.status, response.text).toBe(200);
    expect(response.body.warnings).toMatchObject([
      {
        pointer: '/documents/0/totalDiscountAmount',
        documentIndex: 0,
        rule: 'member_repeated',
        message: 'documents[0].totalDiscountAmount is sent more than once, and the last of them was taken',
        hint: 'send it once',
      },
    ]);
    const { totals } = (await readStatus(service, tenant, response.body.submissionBatchId)).documents[0];
    expect(totals.totalExcludingTax).toBe(185);
    expect((await post(service, tenant, { path, body: once, key })).text).toBe(response.text);
  });

  it('say that the authority will probably refuse a TIN, and charge and queue all the same', async () => {
    const payer = await createTenant(service, { credits: 1 });
    const response = await submit(service, payer, [invoice({ recipient: { ...recipient, tin: 'C01234567890' } })]);
    expect(response.body.warnings).toMatchObject([
      { pointer: '/documents/0/recipient/tin', hint: 'without zeros after the letters: C1234567890' },
    ]);
    expect(await readBalance(service, payer)).toBe(0);
  });

  it('let a foreign company without a number pass as NA, which the authority takes', async () => {
    const foreign = { ...recipient, tin: 'EI00000000020', brn: 'NA', country: 'SGP', state: undefined };
    const response = await submit(service, tenant, [invoice({ recipient: foreign })]);
    expect(response.body.warnings).toMatchObject([
      { pointer: '/documents/0/recipient/brn', rule: 'recipient_brn_not_applicable' },
    ]);
    await service.settle();
    const { documents } = await readStatus(service, tenant, response.body.submissionBatchId);
    expect(documents).toMatchObject([{ authorityStatus: 'Valid' }]);
  });

  it('name a consolidated line above RM 10,000', async () => {
    const lineItems = [{ description: 'Receipts 1 - 2', quantity: 1, unitPrice: 10_000.01 }];
    const response = await submit(service, tenant, [invoice({ lineItems })], { submissionType: 'consolidated' });
    expect(response.body.warnings.map(({ rule }: { rule: string }) => rule)).toEqual(['line_consolidated_amount']);
  });

  it('look at nothing inside the recipient of a consolidated document', async () => {
    const response = await submit(service, tenant, [invoice({ recipient: { shop: 'any', tin: 5 } })], {
      submissionType: 'consolidated',
    });
    expect(response.body.warnings).toEqual([]);
  });

  it('are listed up to 100, with how many more there are', async () => {
    const many = Object.fromEntries(Array.from({ length: 103 }, (_, index) => [`extra${index}`, index]));
    const response = await submit(service, tenant, [invoice(many)]);
    expect(response.body.warnings).toHaveLength(100);
    expect(response.body.warningsNotListed).toBe(3);
  });

  it('are part of the stored answer: a replay repeats them, byte for byte', async () => {
    const key = randomUUID();
    const documents = [invoice({ foo: 1 })];
    const first = await submit(service, tenant, documents, { key });
    const replay = await submit(service, tenant, documents, { key });
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(replay.text).toBe(first.text);
    expect(replay.body.warnings).toHaveLength(1);
  });
});
