import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LineItem, SimplifiedDocument } from '../../documents/simplified-document.js';
import { computeLineTotal, computeTotals } from '../../documents/totals.js';
import { subtractNotes } from './uncredited.js';

function buildLine(
  description: string,
  quantity: number,
  unitPrice: number,
  members: Partial<LineItem> = {},
): LineItem {
  return {
    description,
    quantity,
    unitPrice,
    discount: 0,
    lineTotal: computeLineTotal({ quantity, unitPrice, discount: 0 }),
    taxAmount: 0,
    taxType: null,
    taxExemptionReason: null,
    classification: null,
    unitCode: null,
    ...members,
  };
}

function buildDocument(lineItems: readonly LineItem[], members: Partial<SimplifiedDocument> = {}): SimplifiedDocument {
  return {
    submissionType: 'non-consolidated',
    documentType: 'invoice',
    referenceId: 'INV-1',
    documentDate: '2026-11-01',
    recipient: null,
    lineItems,
    totalDiscountAmount: 0,
    totalRoundingAmount: 0,
    relatedInvoice: null,
    ...members,
  };
}

describe('subtractNotes', () => {
  it('returns the remainder of each quantity, tax and discount', () => {
    const invoice = buildDocument(
      [buildLine('Chair', 3, 100, { taxAmount: 24 }), buildLine('Table', 1, 500, { discount: 20, lineTotal: 480 })],
      { totalDiscountAmount: 30 },
    );
    const note = buildDocument(
      [buildLine('Table', 1, 500, { discount: 20, lineTotal: 480 }), buildLine('Chair', 1, 100, { taxAmount: 8 })],
      { totalDiscountAmount: 10 },
    );
    expect(subtractNotes(invoice, [note])).toEqual(
      buildDocument([buildLine('Chair', 2, 100, { taxAmount: 16 })], { totalDiscountAmount: 20 }),
    );
  });

  it('keeps the specified rate unless the remaining tax contradicts it', () => {
    const invoice = buildDocument([buildLine('Chair', 3, 100, { taxAmount: 24, taxRate: 8 })]);
    const credit = (taxAmount: number): SimplifiedDocument =>
      buildDocument([buildLine('Chair', 1, 100, { taxAmount })]);
    expect(subtractNotes(invoice, [credit(8)])?.lineItems).toMatchObject([{ taxAmount: 16, taxRate: 8 }]);
    expect(subtractNotes(invoice, [credit(7.98)])).toBeNull();
  });

  it('returns exactly the uncredited amount', () => {
    const item = fc.record({
      quantity: fc.integer({ min: 1, max: 50 }),
      credited: fc.integer({ min: 0, max: 60 }),
      sen: fc.integer({ min: 1, max: 1_000_000 }),
    });
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 5 }), (items) => {
        const invoice = buildDocument(
          items.map(({ quantity, sen }, index) => buildLine(`${index}`, quantity, sen / 100)),
        );
        const credited = items.flatMap((one, index) =>
          one.credited === 0 ? [] : [buildLine(`${index}`, one.credited, one.sen / 100)],
        );
        const left = subtractNotes(invoice, [buildDocument(credited)]);
        const isPartial = items.every((one) => one.credited <= one.quantity);
        const isWhole = items.every((one) => one.credited === one.quantity);
        expect(left !== null).toBe(isPartial && !isWhole);
        if (left === null) return;
        const pay = (document: SimplifiedDocument): number => computeTotals(document).totalPayableAmount;
        expect(pay(left)).toBe(pay(invoice) - pay(buildDocument(credited)));
      }),
    );
  });

  it.each([
    ['another item', buildLine('Refund', 1, 20)],
    ['another price', buildLine('Chair', 1, 90)],
    ['more than its quantity', buildLine('Chair', 4, 100)],
    ['more tax than it has', buildLine('Chair', 1, 100, { taxAmount: 30 })],
  ])('returns null if a note credits %s', (_, line) => {
    const invoice = buildDocument([buildLine('Chair', 3, 100, { taxAmount: 24 })]);
    expect(subtractNotes(invoice, [buildDocument([line])])).toBeNull();
  });
});
