import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './simulator.js';
import { type ExampleOptions, exampleEntry } from './testing/example-documents.js';
import { TestClient, control } from './testing/test-client.js';

// Tests of the setting checkTotals, which applies the authority's formulas to submitted documents.

let simulator: Simulator;
let client: TestClient;
beforeAll(async () => {
  simulator = await startSimulator({ settings: { validationDelayMs: 0, checkTotals: true } });
});
beforeEach(async () => {
  await control(simulator.url, 'reset');
  client = await TestClient.login(simulator.url);
});
afterAll(() => simulator.close());

async function findCodes(options: ExampleOptions): Promise<string[]> {
  const uuid = await client.accept(exampleEntry(options));
  await control(simulator.url, 'clock', { advanceSeconds: 2 });
  return client.listErrorCodes(uuid);
}

const ringgit = (amount: number): object[] => [{ _: amount, currencyID: 'MYR' }];
const category = (type: string, reason?: string): object[] => [
  {
    ID: [{ _: type }],
    ...(reason === undefined ? {} : { TaxExemptionReason: [{ _: reason }] }),
    TaxScheme: [{ ID: [{ _: 'OTH', schemeID: 'UN/ECE 5153', schemeAgencyID: '6' }] }],
  },
];

interface LineTax {
  readonly net: number;
  readonly tax: number;
  readonly subtotals: readonly object[];
}

function buildLine({ net, tax, subtotals }: LineTax, index: number): object {
  return {
    ID: [{ _: String(index + 1) }],
    InvoicedQuantity: [{ _: 1, unitCode: 'C62' }],
    LineExtensionAmount: ringgit(net),
    TaxTotal: [{ TaxAmount: ringgit(tax), TaxSubtotal: subtotals }],
    Item: [
      {
        CommodityClassification: [{ ItemClassificationCode: [{ _: '003', listID: 'CLASS' }] }],
        Description: [{ _: 'Goods' }],
      },
    ],
    Price: [{ PriceAmount: ringgit(net) }],
    ItemPriceExtension: [{ Amount: ringgit(net) }],
  };
}

// A function, because tests modify their document in place.
const buildUnits = (): object => ({ BaseUnitMeasure: [{ _: 1, unitCode: 'C62' }], PerUnitAmount: ringgit(10) });

/** Builds the authority's multi-line sample, with a tax per unit, a percentage tax and an exempted tax. */
function multiLine(changes: Record<string, unknown> = {}): ExampleOptions {
  const taxed = (taxable: number, tax: number, rest: object): object => ({
    TaxableAmount: ringgit(taxable),
    TaxAmount: ringgit(tax),
    ...rest,
  });
  const lines: LineTax[] = [
    { net: 1000, tax: 10, subtotals: [taxed(1000, 10, { ...buildUnits(), TaxCategory: category('01') })] },
    { net: 1500, tax: 75, subtotals: [taxed(1500, 75, { Percent: [{ _: 5 }], TaxCategory: category('02') })] },
    {
      net: 2000,
      tax: 0,
      subtotals: [
        taxed(0, 0, { Percent: [{ _: 5 }], TaxCategory: category('01') }),
        taxed(2000, 100, { TaxCategory: category('E', 'Special Case') }),
      ],
    },
  ];
  return {
    set: {
      InvoiceLine: lines.map(buildLine),
      AllowanceCharge: undefined,
      'TaxTotal.0': {
        TaxAmount: ringgit(85),
        TaxSubtotal: [
          taxed(1000, 10, { TaxCategory: category('01') }),
          taxed(1500, 75, { TaxCategory: category('02') }),
          taxed(2000, 100, { TaxCategory: category('E', 'Special case') }),
        ],
      },
      'LegalMonetaryTotal.0': {
        LineExtensionAmount: ringgit(4500),
        TaxExclusiveAmount: ringgit(4500),
        TaxInclusiveAmount: ringgit(4585),
        PayableAmount: ringgit(4585),
      },
      ...changes,
    },
  };
}

const LINE_TAX = 'TaxTotal.0.TaxSubtotal.0';

it("accepts the sums of the examples and of the authority's multi-line sample", async () => {
  expect(await findCodes({})).toEqual([]);
  expect(await findCodes({ example: 'consolidated' })).toEqual([]);
  expect(await findCodes(multiLine())).toEqual([]);
});

it('accepts a payable amount that excludes the prepaid amount', async () => {
  const prepaid = { PrepaidPayment: [{ PaidAmount: ringgit(85) }], 'LegalMonetaryTotal.0.PayableAmount.0._': 4500 };
  expect(await findCodes(multiLine(prepaid))).toEqual([]);
});

it.each<[string, Record<string, unknown>]>([
  ['a payable amount that includes the prepaid amount', { PrepaidPayment: [{ PaidAmount: ringgit(85) }] }],
  ['exempted tax in the total tax', { 'TaxTotal.0.TaxAmount.0._': 185 }],
  ['exempted tax in the tax of its line', { 'InvoiceLine.2.TaxTotal.0.TaxAmount.0._': 100 }],
  ['exempted tax in the amount including tax', { 'LegalMonetaryTotal.0.TaxInclusiveAmount.0._': 4685 }],
  ['exempted tax that is missing from the summary', { 'TaxTotal.0.TaxSubtotal.2.TaxAmount.0._': 0 }],
  [
    'a tax per unit that is not the product of rate and quantity',
    { [`InvoiceLine.0.${LINE_TAX}.PerUnitAmount.0._`]: 11 },
  ],
  ['a tax per unit without a quantity', { [`InvoiceLine.0.${LINE_TAX}.BaseUnitMeasure`]: undefined }],
  ['a tax per unit with a percentage', { [`InvoiceLine.0.${LINE_TAX}.Percent`]: [{ _: 1 }] }],
  ['a tax without a rate', { [`InvoiceLine.1.${LINE_TAX}.Percent`]: undefined }],
  ['a percentage that does not match its tax', { [`InvoiceLine.1.${LINE_TAX}.Percent.0._`]: 6 }],
  ['a taxable amount that differs from the lines', { 'TaxTotal.0.TaxSubtotal.1.TaxableAmount.0._': 1400 }],
  ['a line total that differs from the lines', { 'LegalMonetaryTotal.0.LineExtensionAmount.0._': 4400 }],
  ['a payable amount without the rounding amount', { 'LegalMonetaryTotal.0.PayableRoundingAmount': ringgit(0.05) }],
  [
    'a sum of very large amounts that is wrong by one sen',
    {
      'LegalMonetaryTotal.0.PayableRoundingAmount': ringgit(9_999_999_995_000.05),
      'LegalMonetaryTotal.0.PayableAmount.0._': 9_999_999_999_585.06,
    },
  ],
  ['a line that is not quantity × price', { 'InvoiceLine.1.InvoicedQuantity.0._': 2 }],
])('rejects %s', async (_title, changes) => {
  expect(new Set(await findCodes(multiLine(changes)))).toEqual(new Set(['SIM-TOTALS']));
});

it('rejects an amount that exceeds the range of a double', async () => {
  const rewrite = (text: string): string =>
    text.replace('"PayableAmount":[{"_":4585', `"PayableAmount":[{"_":${'9'.repeat(310)}`);
  expect(await findCodes({ ...multiLine(), rewrite })).toEqual(['SIM-TOTALS']);
});

it('accepts exact sums of very large amounts', async () => {
  const changes = {
    'LegalMonetaryTotal.0.PayableRoundingAmount': ringgit(9_999_999_995_000.05),
    'LegalMonetaryTotal.0.PayableAmount.0._': 9_999_999_999_585.05,
  };
  expect(await findCodes(multiLine(changes))).toEqual([]);
});

it('accepts wrong sums if checkTotals is false', async () => {
  await control(simulator.url, 'settings', { checkTotals: false });
  expect(await findCodes(multiLine({ 'TaxTotal.0.TaxAmount.0._': 185 }))).toEqual([]);
});

it.each([
  { atArrival: true, atValidation: false, codes: [] },
  { atArrival: false, atValidation: true, codes: ['SIM-TOTALS'] },
])('applies checkTotals as it is at validation time: $atValidation', async (asked) => {
  await control(simulator.url, 'settings', { validationDelayMs: 60_000, checkTotals: asked.atArrival });
  const uuid = await client.accept(exampleEntry(multiLine({ 'LegalMonetaryTotal.0.LineExtensionAmount.0._': 4400 })));
  await control(simulator.url, 'settings', { checkTotals: asked.atValidation });
  await control(simulator.url, 'clock', { advanceSeconds: 60 });
  expect([...new Set(await client.listErrorCodes(uuid))]).toEqual(asked.codes);
});

it('reports a code that docs/simulator.md documents', () => {
  expect(readFileSync(new URL('../docs/simulator.md', import.meta.url), 'utf8')).toContain('`SIM-TOTALS`');
});
