import { describe, expect, it } from 'vitest';
import { consolidatedInvoice } from '../documents.js';
import { accept, dryRun, number, readStatus } from '../suite.js';

// Totals use exact decimals, round half away from zero and round each line once (docs/rules.md#totals).

const CONSOLIDATED = { type: 'consolidated' } as const;

interface Totals {
  readonly totalExcludingTax: number;
  readonly totalTaxAmount: number;
  readonly totalIncludingTax: number;
  readonly totalPayableAmount: number;
}

const item = (quantity: number, unitPrice: number, members: object = {}): object => ({
  description: 'Goods',
  quantity,
  unitPrice,
  ...members,
});
const totals = (excluding: number, tax: number, including: number, payable = including): Totals => ({
  totalExcludingTax: excluding,
  totalTaxAmount: tax,
  totalIncludingTax: including,
  totalPayableAmount: payable,
});

const EXAMPLES: readonly [title: string, members: object, expected: Totals][] = [
  ['multiply quantity by unit price', { lineItems: [item(3, 33.33)] }, totals(99.99, 0, 99.99)],
  ['round half a sen away from zero', { lineItems: [item(1, 1.005)] }, totals(1.01, 0, 1.01)],
  ['round each line instead of the sum', { lineItems: [item(1, 0.005), item(1, 0.005)] }, totals(0.02, 0, 0.02)],
  ['use exact decimals', { lineItems: [item(3, 0.1), item(1, 0.2)] }, totals(0.5, 0, 0.5)],
  ['subtract the discount of a line', { lineItems: [item(2, 100, { discount: 10 })] }, totals(190, 0, 190)],
  ['use the lineTotal of the request', { lineItems: [item(3, 33.333, { lineTotal: 99.99 })] }, totals(99.99, 0, 99.99)],
  [
    'add up the taxes',
    { lineItems: [item(1, 100, { taxAmount: 6 }), item(1, 50, { taxAmount: 3.01 })] },
    totals(150, 9.01, 159.01),
  ],
  [
    'subtract the discount of the document before tax',
    { totalDiscountAmount: 10, lineItems: [item(1, 100, { taxAmount: 6 })] },
    totals(90, 6, 96),
  ],
  [
    'apply the rounding amount only to the payable amount',
    { totalRoundingAmount: -0.02, lineItems: [item(1, 100.02)] },
    totals(100.02, 0, 100.02, 100),
  ],
  [
    'exclude exempted tax',
    { lineItems: [item(1, 100, { taxAmount: 6, taxType: 'E', taxExemptionReason: 'Sales to the government' })] },
    totals(100, 0, 100),
  ],
  [
    'combine all rules',
    {
      totalDiscountAmount: 0.05,
      totalRoundingAmount: 0.01,
      lineItems: [item(2.5, 19.99, { taxAmount: 3 }), item(1, 0.125, { discount: 0.02 })],
    },
    totals(50.04, 3, 53.04, 53.05),
  ],
];

describe('totals', () => {
  it.each(EXAMPLES)('%s', async (_, members, expected) => {
    const { status, text, body } = await dryRun([consolidatedInvoice(number(), members)], CONSOLIDATED);
    expect(status, text).toBe(200);
    expect(body.documents[0].totals).toEqual(expected);
  });

  it('are equal in the status and the dry run', async () => {
    const [, members, expected] = EXAMPLES[EXAMPLES.length - 1];
    const { submissionBatchId } = await accept([consolidatedInvoice(number(), members)], CONSOLIDATED);
    expect((await readStatus(submissionBatchId)).documents[0].totals).toEqual(expected);
  });
});
