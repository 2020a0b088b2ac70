import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './simulator.js';
import { type ExampleOptions, exampleEntry } from './testing/example-documents.js';
import { TestClient, control } from './testing/test-client.js';

// The setting checkTotals: the authority's formulas over what was sent.

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

// A function, because a test changes the members of its document in place.
const buildUnits = (): object => ({ BaseUnitMeasure: [{ _: 1, unitCode: 'C62' }], PerUnitAmount: ringgit(10) });

/** The figures of the authority's multi-line sample: a tax by unit, one by percentage, one exempted. */
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

it('takes what adds up: the examples, and the sums of the multi-line sample of the authority', async () => {
  expect(await findCodes({})).toEqual([]);
  expect(await findCodes({ example: 'consolidated' })).toEqual([]);
  expect(await findCodes(multiLine())).toEqual([]);
});

it('takes a payable amount less what is prepaid', async () => {
  const prepaid = { PrepaidPayment: [{ PaidAmount: ringgit(85) }], 'LegalMonetaryTotal.0.PayableAmount.0._': 4500 };
  expect(await findCodes(multiLine(prepaid))).toEqual([]);
});

it.each<[string, Record<string, unknown>]>([
  ['a payable amount with what is prepaid', { PrepaidPayment: [{ PaidAmount: ringgit(85) }] }],
  ['exempted tax in the total of the taxes', { 'TaxTotal.0.TaxAmount.0._': 185 }],
  ['exempted tax in the total of its line', { 'InvoiceLine.2.TaxTotal.0.TaxAmount.0._': 100 }],
  ['exempted tax in the sum with tax', { 'LegalMonetaryTotal.0.TaxInclusiveAmount.0._': 4685 }],
  ['exempted tax that the summary leaves out', { 'TaxTotal.0.TaxSubtotal.2.TaxAmount.0._': 0 }],
  ['a tax by unit that is not its product', { [`InvoiceLine.0.${LINE_TAX}.PerUnitAmount.0._`]: 11 }],
  ['a tax by unit without its units', { [`InvoiceLine.0.${LINE_TAX}.BaseUnitMeasure`]: undefined }],
  ['a tax by unit and a percentage', { [`InvoiceLine.0.${LINE_TAX}.Percent`]: [{ _: 1 }] }],
  ['a tax without any rate', { [`InvoiceLine.1.${LINE_TAX}.Percent`]: undefined }],
  ['a percentage that does not give its tax', { [`InvoiceLine.1.${LINE_TAX}.Percent.0._`]: 6 }],
  ['a taxable amount that is not that of the lines', { 'TaxTotal.0.TaxSubtotal.1.TaxableAmount.0._': 1400 }],
  ['lines that are not the sum', { 'LegalMonetaryTotal.0.LineExtensionAmount.0._': 4400 }],
  ['a payable amount without its rounding', { 'LegalMonetaryTotal.0.PayableRoundingAmount': ringgit(0.05) }],
  [
    'a sum of the largest amounts that is a sen off',
    {
      'LegalMonetaryTotal.0.PayableRoundingAmount': ringgit(9_999_999_995_000.05),
      'LegalMonetaryTotal.0.PayableAmount.0._': 9_999_999_999_585.06,
    },
  ],
  ['a line that is not quantity × price', { 'InvoiceLine.1.InvoicedQuantity.0._': 2 }],
])('finds %s', async (_title, changes) => {
  expect(new Set(await findCodes(multiLine(changes)))).toEqual(new Set(['SIM-TOTALS']));
});

it('finds an amount that no double holds', async () => {
  const rewrite = (text: string): string =>
    text.replace('"PayableAmount":[{"_":4585', `"PayableAmount":[{"_":${'9'.repeat(310)}`);
  expect(await findCodes({ ...multiLine(), rewrite })).toEqual(['SIM-TOTALS']);
});

it('takes sums of the largest amounts that are exact', async () => {
  const changes = {
    'LegalMonetaryTotal.0.PayableRoundingAmount': ringgit(9_999_999_995_000.05),
    'LegalMonetaryTotal.0.PayableAmount.0._': 9_999_999_999_585.05,
  };
  expect(await findCodes(multiLine(changes))).toEqual([]);
});

it('adds nothing up unless it is asked to: sums that do not are no reason for a refusal', async () => {
  await control(simulator.url, 'settings', { checkTotals: false });
  expect(await findCodes(multiLine({ 'TaxTotal.0.TaxAmount.0._': 185 }))).toEqual([]);
});

it.each([
  { atArrival: true, atValidation: false, codes: [] },
  { atArrival: false, atValidation: true, codes: ['SIM-TOTALS'] },
])('decides by what is asked for when a document is validated: $atValidation', async (asked) => {
  await control(simulator.url, 'settings', { validationDelayMs: 60_000, checkTotals: asked.atArrival });
  const uuid = await client.accept(exampleEntry(multiLine({ 'LegalMonetaryTotal.0.LineExtensionAmount.0._': 4400 })));
  await control(simulator.url, 'settings', { checkTotals: asked.atValidation });
  await control(simulator.url, 'clock', { advanceSeconds: 60 });
  expect([...new Set(await client.listErrorCodes(uuid))]).toEqual(asked.codes);
});

it('is named by the page of the simulator with its own code', () => {
  expect(readFileSync(new URL('../docs/simulator.md', import.meta.url), 'utf8')).toContain('`SIM-TOTALS`');
});
