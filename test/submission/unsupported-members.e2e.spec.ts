import { describe, expect, it } from 'vitest';
import { createTenant, issue, post, refused, submit } from '../support/client.js';
import { invoice, line, recipient } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// Programs ignore warnings, so fields that would change the document are rejected
// (docs/rules.md#unknown-and-repeated-fields).

const service = await startFileService();
const tenant = await createTenant(service);

async function refuse(members: Record<string, unknown>): Promise<{ pointer: string; rule: string; hint: string }[]> {
  const response = await refused(service, tenant, () => submit(service, tenant, [invoice(members)]));
  expect(response.status).toBe(400);
  expect(response.body.code).toBe('validation_failed');
  return response.body.details as { pointer: string; rule: string; hint: string }[];
}

describe('document with unsupported or contradictory amounts', () => {
  it.each<[title: string, members: Record<string, unknown>, ...pointers: string[]]>([
    [
      'if it is in another currency',
      { currency: 'USD', exchangeRate: 4.45 },
      '/documents/0/currency',
      '/documents/0/exchangeRate',
    ],
    [
      'if a line has a tax under another name',
      { lineItems: [{ ...line, vat_rate: 8 }] },
      '/documents/0/lineItems/0/vat_rate',
    ],
    [
      'if it has a charge or a prepayment',
      { serviceCharge: 10, totalChargeAmount: 10, prepaidAmount: 50 },
      '/documents/0/serviceCharge',
      '/documents/0/totalChargeAmount',
      '/documents/0/prepaidAmount',
    ],
    [
      'if a name has a word about money',
      { exchangeRateToMYR: 4.45, unitPriceUSD: 100, lineItems: [{ ...line, cukaiPerkhidmatan: 8 }] },
      '/documents/0/exchangeRateToMYR',
      '/documents/0/unitPriceUSD',
      '/documents/0/lineItems/0/cukaiPerkhidmatan',
    ],
    ['if its prices include tax', { taxExclusive: false }, '/documents/0/taxExclusive'],
    ['if a discount is misspelt', { lineItems: [{ ...line, discout: 5 }] }, '/documents/0/lineItems/0/discout'],
    [
      'if the buyer has a member about money',
      { recipient: { ...recipient, currency: 'SGD' } },
      '/documents/0/recipient/currency',
    ],
  ])('is rejected %s', async (_, members, ...pointers) => {
    const details = await refuse(members);
    expect(details.map(({ pointer, rule }) => [pointer, rule])).toEqual(
      pointers.map((pointer) => [pointer, 'unsupported_member']),
    );
  });

  it('is rejected if a field of the request contains an amount', async () => {
    const body = { submission_type: 'non-consolidated', documents: [invoice()], currency: 'USD' };
    const response = await refused(service, tenant, () => post(service, tenant, { path: '/v1/einvoice/submit', body }));
    expect(response.body.details).toMatchObject([{ pointer: '/currency', rule: 'unsupported_member' }]);
  });

  it('is rejected if a specified total differs from the computed one by a sen', async () => {
    expect(await refuse({ totalPayableAmount: 205.21 })).toMatchObject([
      {
        pointer: '/documents/0/totalPayableAmount',
        rule: 'total_payable_amount_mismatch',
        message: 'is 205.21, but the service computes 205.2',
      },
    ]);
  });

  it.each([
    ['"documents":[', '"documents":[],"documents":[', '/documents'],
    ['"referenceId":', '"referenceId":"OTHER","referenceId":', '/documents/0/referenceId'],
    ['"tin":', '"tin":"C1111111110","tin":', '/documents/0/recipient/tin'],
    ['"discount":', '"discount":0,"discount":', '/documents/0/lineItems/0/discount'],
    ['"lineItems":', '"metadata":{"a":{"b":{"c":1,"c":2}}},"lineItems":', '/documents/0/metadata/a'],
  ])('is rejected if %s is repeated with a different value', async (once, twice, pointer) => {
    const body = JSON.stringify({ submission_type: 'non-consolidated', documents: [invoice()] }).replace(once, twice);
    const response = await refused(service, tenant, () => post(service, tenant, { path: '/v1/einvoice/submit', body }));
    expect(response.status).toBe(400);
    expect(response.body.details[0]).toMatchObject({ pointer, rule: 'repeated_member' });
  });
});

describe('document with harmless unknown fields', () => {
  it('becomes Valid with correct totals', async () => {
    const totals = { totalExcludingTax: 190, total_tax_amount: 15.2, total_payable_amount: 205.20000000000002 };
    const neutral = { currency: 'MYR', exchangeRate: 1, serviceCharge: 0, prepaidAmount: null, taxExclusive: true };
    const harmless = {
      invoiceId: 7,
      customerCode: 'C1',
      salesPerson: 'Ali',
      tags: ['a'],
      taxNumber: 'W10',
      priceList: 'A',
    };
    const status = await issue(service, tenant, invoice({ ...totals, ...neutral, ...harmless }));
    expect(status.documents[0]).toMatchObject({ authorityStatus: 'Valid', totals: { totalPayableAmount: 205.2 } });
  });
});
