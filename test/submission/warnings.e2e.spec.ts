import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createTenant, readBalance, issue, post, readStatus, submit } from '../support/client.js';
import { invoice, line, recipient } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService();
const tenant = await createTenant(service);

it('submit accepts a foreign address without a postcode and a phone number without +', async () => {
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

describe('warnings of an accepted batch', () => {
  it('name unknown fields and suggest known ones', async () => {
    const document = invoice({ referenceId: 'W-1', lineItems: [{ ...line, unitcode: 'C62' }] });
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
        pointer: '/documents/0/lineItems/0/unitcode',
        documentIndex: 0,
        referenceId: 'W-1',
        rule: 'member_unknown',
        message: 'documents[0].lineItems[0].unitcode is not a known field and was ignored',
        hint: 'did you mean unitCode?',
      },
    ]);
  });

  it('name a field that is repeated with the same value', async () => {
    const key = randomUUID();
    const once = JSON.stringify({
      submission_type: 'non-consolidated',
      documents: [invoice({ totalDiscountAmount: 5 })],
    });
    const twice = once.replace('"totalDiscountAmount":5', '"totalDiscountAmount":5.0,"totalDiscountAmount":5');
    const path = '/v1/einvoice/submit';
    const response = await post(service, tenant, { path, body: twice, key });
    expect(response.status, response.text).toBe(200);
    expect(response.body.warnings).toMatchObject([
      {
        pointer: '/documents/0/totalDiscountAmount',
        documentIndex: 0,
        rule: 'member_repeated',
        message: 'documents[0].totalDiscountAmount is repeated with the same value',
        hint: 'send it once',
      },
    ]);
    const { totals } = (await readStatus(service, tenant, response.body.submissionBatchId)).documents[0];
    expect(totals.totalExcludingTax).toBe(185);
    expect((await post(service, tenant, { path, body: once, key })).text).toBe(response.text);
  });

  it('predict the rejection of a TIN without preventing the submit', async () => {
    const payer = await createTenant(service, { credits: 1 });
    const response = await submit(service, payer, [invoice({ recipient: { ...recipient, tin: 'C01234567890' } })]);
    expect(response.body.warnings).toMatchObject([
      { pointer: '/documents/0/recipient/tin', hint: 'without zeros after the letters: C1234567890' },
    ]);
    expect(await readBalance(service, payer)).toBe(0);
  });

  it('are absent for a foreign company without a registration number, which is sent as NA', async () => {
    const foreign = { ...recipient, tin: 'EI00000000020', brn: 'NA', country: 'SGP', state: undefined };
    const response = await submit(service, tenant, [invoice({ recipient: foreign })]);
    expect(response.body.warnings).toMatchObject([
      { pointer: '/documents/0/recipient/brn', rule: 'recipient_brn_not_applicable' },
    ]);
    await service.settle();
    const { documents } = await readStatus(service, tenant, response.body.submissionBatchId);
    expect(documents).toMatchObject([{ authorityStatus: 'Valid' }]);
  });
});
