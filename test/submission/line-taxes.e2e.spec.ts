import { describe, expect, it } from 'vitest';
import { type Body, createTenant, issue, post, submit } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService();
const tenant = await createTenant(service);

const exemptLine = {
  description: 'Medical supplies',
  quantity: 1,
  unitPrice: 100,
  taxType: 'E',
  taxAmount: 10,
  taxExemptionReason: 'Schedule A',
};
const room = { description: 'Room', quantity: 3, unitPrice: 115.5, taxType: '03', taxPerUnit: 10 };

/** Returns a document in the form that the authority accepted. */
async function takenDocument(referenceId: unknown): Promise<Body> {
  const [{ bytes }] = await service.owner.query<{ bytes: Buffer }[]>(
    'SELECT bytes FROM authority_document WHERE reference_id = $1',
    [referenceId],
  );
  return (JSON.parse(bytes.toString('utf8')) as Body).Invoice[0] as Body;
}

const ringgit = (amount: number): object[] => [{ _: amount, currencyID: 'MYR' }];
const SCHEME = [{ ID: [{ _: 'OTH', schemeID: 'UN/ECE 5153', schemeAgencyID: '6' }] }];

describe('line with numerical cancellation', () => {
  // The exact total is 4.995.
  const line = { description: 'Goods', quantity: 73147, unitPrice: 524.685, discount: 38379128.7 };

  it('rounds its exact total half away from zero', async () => {
    const document = invoice({ lineItems: [line] });
    const { documents } = await issue(service, tenant, document);
    expect(documents[0]).toMatchObject({ authorityStatus: 'Valid', totals: { totalExcludingTax: 5 } });
    const { InvoiceLine } = await takenDocument(document.referenceId);
    expect(InvoiceLine[0]).toMatchObject({
      LineExtensionAmount: ringgit(5),
      ItemPriceExtension: [{ Amount: ringgit(38379133.7) }],
    });
  });

  it('may specify a lineTotal one sen above the exact total', async () => {
    const response = await submit(service, tenant, [invoice({ lineItems: [{ ...line, lineTotal: 5.01 }] })]);
    expect(response.status).toBe(200);
  });
});

describe('tax rate', () => {
  const readPercents = async (referenceId: unknown): Promise<unknown[]> => {
    const { InvoiceLine } = await takenDocument(referenceId);
    return (InvoiceLine as Body[]).map(({ TaxTotal }) => TaxTotal[0].TaxSubtotal[0].Percent?.[0]._ as unknown);
  };
  const item = { description: 'Goods', quantity: 1, taxType: '02' };

  it('is the rate that fits all lines of a tax type', async () => {
    const document = invoice({
      lineItems: [
        { ...item, unitPrice: 18.9, taxAmount: 1.13 },
        { ...item, unitPrice: 3.14, taxAmount: 0.19 },
        { ...item, unitPrice: 0.5, taxAmount: 0.03 },
        { ...item, unitPrice: 0.5, taxAmount: 0.03, taxType: '01' },
      ],
    });
    const { documents } = await issue(service, tenant, document);
    expect(documents[0]).toMatchObject({ authorityStatus: 'Valid' });
    expect(await readPercents(document.referenceId)).toEqual([6, 6, 6, 5]);
  });

  it('determines the tax of a line if it is specified', async () => {
    const lineItems = [
      { ...item, unitPrice: 18.9, taxRate: 6 },
      { ...item, unitPrice: 200, tax_rate: 7.77, discount: 10 },
      { ...item, unitPrice: 0.05, taxRate: 6, taxType: undefined },
    ];
    const document = invoice({ lineItems, totalPayableAmount: 224.84 });
    const { documents } = await issue(service, tenant, document);
    expect(documents[0]).toMatchObject({
      authorityStatus: 'Valid',
      totals: { totalExcludingTax: 208.95, totalTaxAmount: 15.89, totalPayableAmount: 224.84 },
    });
    expect(await readPercents(document.referenceId)).toEqual([6, 7.77, 6]);
    const [tax] = (await takenDocument(document.referenceId)).TaxTotal as Body[];
    expect(tax.TaxAmount).toEqual(ringgit(15.89));
  });

  it('determines the tax of a consolidated document and of a dry run', async () => {
    const receipts = { description: 'Receipts 1 to 9', quantity: 1, unitPrice: 1250.5, taxRate: 8 };
    const document: Body = { ...invoice({ lineItems: [receipts] }), recipient: undefined };
    const body = { submission_type: 'consolidated', documents: [document] };
    const dryRun = await post(service, tenant, { path: '/v1/einvoice/submit/dry-run', body });
    expect(dryRun.body.documents).toMatchObject([{ totals: { totalTaxAmount: 100.04, totalPayableAmount: 1350.54 } }]);
    const { status, text } = await submit(service, tenant, [document], { submissionType: 'consolidated' });
    expect(status, text).toBe(200);
    await service.settle();
    expect(await readPercents(document.referenceId)).toEqual([8]);
  });

  it('conflicts with a different tax amount, and the error shows both amounts', async () => {
    const lineItems = [{ ...item, unitPrice: 18.9, taxAmount: 1.89, taxRate: 6 }];
    const { status, body } = await submit(service, tenant, [invoice({ lineItems })]);
    expect(status).toBe(400);
    expect(body.details).toMatchObject([
      {
        rule: 'line_tax_rate_mismatch',
        pointer: '/documents/0/lineItems/0/taxAmount',
        message: 'is 1.89, but 6 % of the line total is 1.13',
        hint: 'if the rate is right, leave taxAmount out: the tax is then 1.13; if the tax is right, send the rate 10',
      },
    ]);
  });
});

describe('exempted tax', () => {
  const EXEMPT_SUBTOTAL = {
    TaxableAmount: ringgit(100),
    TaxAmount: ringgit(10),
    TaxCategory: [{ ID: [{ _: 'E' }], TaxExemptionReason: [{ _: 'Schedule A' }], TaxScheme: SCHEME }],
  };

  it('counts only in the subtotals of type E', async () => {
    const document = invoice({ lineItems: [exemptLine, { ...exemptLine, taxType: '01', taxAmount: 8 }] });
    const { documents } = await issue(service, tenant, document);
    expect(documents[0]).toMatchObject({
      authorityStatus: 'Valid',
      totals: { totalExcludingTax: 200, totalTaxAmount: 8, totalIncludingTax: 208, totalPayableAmount: 208 },
    });
    const { TaxTotal, LegalMonetaryTotal, InvoiceLine } = await takenDocument(document.referenceId);
    expect(InvoiceLine[0].TaxTotal).toEqual([{ TaxAmount: ringgit(0), TaxSubtotal: [EXEMPT_SUBTOTAL] }]);
    expect(TaxTotal[0].TaxAmount).toEqual(ringgit(8));
    expect(TaxTotal[0].TaxSubtotal[1]).toEqual(EXEMPT_SUBTOTAL);
    expect(LegalMonetaryTotal).toMatchObject([{ TaxInclusiveAmount: ringgit(208), PayableAmount: ringgit(208) }]);
  });

  it("requires a tax type for taxed lines if the profile's default type is E", async () => {
    const exempt = await createTenant(service, { credits: 1 });
    await service.owner.query(`UPDATE tenant SET default_tax_type = 'E' WHERE tenant_id = $1`, [exempt.tenantId]);
    const response = await submit(service, exempt, [invoice()]);
    expect(response.status).toBe(400);
    expect(response.body.details).toMatchObject([
      { pointer: '/documents/0/lineItems/0/taxType', rule: 'line_tax_type_required' },
    ]);
    expect((await submit(service, exempt, [invoice({ lineItems: [exemptLine] })])).status).toBe(200);
  });
});

describe('tax per unit', () => {
  it('is sent with rate and units instead of a percentage', async () => {
    const document = invoice({ lineItems: [room] });
    const { documents } = await issue(service, tenant, document);
    expect(documents[0]).toMatchObject({ authorityStatus: 'Valid', totals: { totalTaxAmount: 30 } });
    const { InvoiceLine } = await takenDocument(document.referenceId);
    expect(InvoiceLine[0].TaxTotal).toEqual([
      {
        TaxAmount: ringgit(30),
        TaxSubtotal: [
          {
            TaxableAmount: ringgit(346.5),
            TaxAmount: ringgit(30),
            BaseUnitMeasure: [{ _: 3, unitCode: 'C62' }],
            PerUnitAmount: ringgit(10),
            TaxCategory: [{ ID: [{ _: '03' }], TaxScheme: SCHEME }],
          },
        ],
      },
    ]);
  });

  it('may have a unit count that differs from the quantity', async () => {
    const stay = { ...room, quantity: 1, unitPrice: 346.5, unitCode: 'KGM', taxUnitCount: 2.5 };
    const document = invoice({ lineItems: [stay, { ...stay, taxUnitCount: 1 }] });
    const { documents } = await issue(service, tenant, document);
    expect(documents[0]?.totals.totalTaxAmount).toBe(35);
    const { InvoiceLine } = await takenDocument(document.referenceId);
    const measures = InvoiceLine.map((line: Body) => line.TaxTotal[0].TaxSubtotal[0].BaseUnitMeasure[0] as unknown);
    expect(measures).toEqual([
      { _: 2.5, unitCode: 'C62' },
      { _: 1, unitCode: 'KGM' },
    ]);
  });

  it('is sent but not charged if it is exempted', async () => {
    const document = invoice({ lineItems: [{ ...room, taxType: 'E', taxExemptionReason: 'Resident' }] });
    const { documents } = await issue(service, tenant, document);
    expect(documents[0]?.totals).toMatchObject({ totalTaxAmount: 0, totalPayableAmount: 346.5 });
    const { InvoiceLine } = await takenDocument(document.referenceId);
    expect(InvoiceLine[0].TaxTotal).toMatchObject([
      { TaxAmount: ringgit(0), TaxSubtotal: [{ TaxAmount: ringgit(30), PerUnitAmount: ringgit(10) }] },
    ]);
  });
});

describe('line with two taxes', () => {
  const stay = { description: 'Room', quantity: 3, unitPrice: 200, taxType: '02', taxAmount: 48, taxPerUnit: 10 };
  const guests = { ...stay, taxUnitCount: 6 };
  const APART = 'to a separate line with the same quantity, unitPrice 0 and its own taxType; if it has one, ';
  const COUNT_ALONE =
    'send the tax on one unit; if taxPerUnit is in a separate line, move taxUnitCount there; leave taxUnitCount out ' +
    'only if no line has a tax by unit';
  const room = { ...stay, taxPerUnit: undefined };

  it.each([
    [
      'by quantity',
      stay,
      `if the line has two taxes, move taxPerUnit ${APART}leave the wrong one out: 30 is billed without taxAmount, 48 without taxPerUnit`,
    ],
    [
      'by another unit',
      guests,
      `if the line has two taxes, move taxPerUnit and taxUnitCount ${APART}leave the wrong one out: 60 is billed without taxAmount, 48 without taxPerUnit and taxUnitCount`,
    ],
    [
      'by a rate and by another unit',
      { ...guests, taxAmount: undefined, taxRate: 8 },
      `if the line has two taxes, move taxPerUnit and taxUnitCount ${APART}leave either taxRate or taxPerUnit and taxUnitCount out`,
    ],
    ['of which taxPerUnit alone was moved', { ...room, taxUnitCount: 6 }, COUNT_ALONE],
  ])('is rejected with the fields to move: one %s', async (_kind, wrong, hint) => {
    const { body } = await submit(service, tenant, [invoice({ lineItems: [wrong] })]);
    expect(body.details).toMatchObject([{ hint }]);
  });

  it.each([
    ['by quantity', { taxPerUnit: 10 }, 78, 678],
    ['by another unit', { taxPerUnit: 10, taxUnitCount: 6 }, 108, 708],
  ])('becomes Valid after the hint is followed: one %s', async (_kind, moved, totalTaxAmount, payable) => {
    const tourism = { description: 'Tourism tax', quantity: 3, unitPrice: 0, taxType: '03', ...moved };
    const { documents } = await issue(service, tenant, invoice({ lineItems: [room, tourism] }));
    expect(documents[0]).toMatchObject({
      authorityStatus: 'Valid',
      totals: { totalExcludingTax: 600, totalTaxAmount, totalPayableAmount: payable },
    });
  });
});
