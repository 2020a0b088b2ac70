import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LineItem, SimplifiedDocument } from './simplified-document.js';
import { toResponseTotals, computeLineTotal, computeTotals, computeUnitTaxAmount } from './totals.js';

function buildDocument(lines: Partial<LineItem>[], header: Partial<SimplifiedDocument> = {}): SimplifiedDocument {
  const line: LineItem = {
    description: 'Goods',
    quantity: 1,
    unitPrice: 1,
    discount: 0,
    lineTotal: 1,
    taxAmount: 0,
    taxType: null,
    taxExemptionReason: null,
    classification: null,
    unitCode: null,
  };
  return {
    submissionType: 'consolidated',
    documentType: 'invoice',
    referenceId: 'INV-1',
    documentDate: '2026-07-23',
    recipient: null,
    lineItems: lines.map((own) => ({ ...line, ...own })),
    totalDiscountAmount: 0,
    totalRoundingAmount: 0,
    relatedInvoice: null,
    ...header,
  };
}

// Independent implementation in whole units: sen for money, hundred-thousandths for quantities and unit prices.
const sen = (units: bigint): number => Number(`${units}e-2`);
const fine = (units: bigint): number => Number(`${units}e-5`);

// Half away from zero, on the absolute value.
function roundedTo(units: bigint, unit: bigint): bigint {
  const magnitude = units < 0n ? -units : units;
  const whole = (2n * magnitude + unit) / (2n * unit);
  return units < 0n ? -whole : whole;
}

const amounts = fc.bigInt({ min: 0n, max: 10n ** 13n });
const fineAmounts = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 6n }), fc.bigInt({ min: 0n, max: 10n ** 10n }));

describe('computeLineTotal', () => {
  it('rounds the exact quantity × unit price − discount once, half away from zero', () => {
    fc.assert(
      fc.property(fineAmounts, fineAmounts, fc.bigInt({ min: 0n, max: 10n ** 9n }), (quantity, unitPrice, discount) => {
        const line = { quantity: fine(quantity), unitPrice: fine(unitPrice), discount: sen(discount) };
        const expected = roundedTo(quantity * unitPrice - discount * 10n ** 8n, 10n ** 8n);
        expect(computeLineTotal(line)).toBe(Number(`${expected}e-2`));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    [1, 1.005, 0, 1.01],
    [1, 2.675, 0, 2.68],
    [3, 33.33333, 0, 100],
    [0.1, 0.35, 0, 0.04],
    [1, 1.005, 2.01, -1.01],
    [0.00001, 0.00001, 0, 0],
    [0.00006, 1250.00001, 0.08, 0],
    [1, 0.0050000001, 0.01, 0],
  ])('computes %d × %d − %d as %s', (quantity, unitPrice, discount, expected) => {
    expect(computeLineTotal({ quantity, unitPrice, discount })).toBe(expected);
  });
});

describe('computeUnitTaxAmount', () => {
  it('rounds the exact tax per unit × units once, half away from zero', () => {
    fc.assert(
      fc.property(fineAmounts, fineAmounts, (taxPerUnit, unitCount) => {
        const expected = roundedTo(taxPerUnit * unitCount, 10n ** 8n);
        expect(computeUnitTaxAmount({ taxPerUnit: fine(taxPerUnit), unitCount: fine(unitCount) })).toBe(
          Number(`${expected}e-2`),
        );
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('computeTotals', () => {
  it('follows docs/rules.md#totals for any lines, discount and rounding', () => {
    const lines = fc.array(fc.tuple(amounts, amounts, fc.option(amounts)), { minLength: 1, maxLength: 20 });
    const rounding = fc.bigInt({ min: -100n, max: 100n });
    fc.assert(
      fc.property(lines, fc.bigInt({ min: 0n, max: 10n ** 6n }), rounding, (pairs, discount, roundingSen) => {
        const lineItems = pairs.map(([total, tax, exempted]) => ({
          lineTotal: sen(total),
          taxAmount: sen(tax),
          exemptedTaxAmount: exempted === null ? undefined : sen(exempted),
        }));
        const header = { totalDiscountAmount: sen(discount), totalRoundingAmount: sen(roundingSen) };
        const lineExtension = pairs.reduce((sum, [total]) => sum + total, 0n);
        const tax = pairs.reduce((sum, pair) => sum + pair[1], 0n);
        const excluding = lineExtension - discount;
        const expected = {
          lineExtension,
          totalDiscount: discount,
          totalExcludingTax: excluding,
          totalTaxAmount: tax,
          totalExemptedTax: pairs.reduce((sum, pair) => sum + (pair[2] ?? 0n), 0n),
          totalIncludingTax: excluding + tax,
          totalRounding: roundingSen,
          totalPayableAmount: excluding + tax + roundingSen,
        };
        const totals = computeTotals(buildDocument(lineItems, header));
        const inSen = Object.entries(totals).map(([name, value]) => [name, BigInt(value)]);
        expect(Object.fromEntries(inSen)).toEqual(expected);
      }),
    );
  });

  it('uses the line total from the request', () => {
    const totals = computeTotals(buildDocument([{ quantity: 3, unitPrice: 33.33, lineTotal: 100 }]));
    expect(totals.lineExtension).toBe(10_000);
  });

  it('does not reduce the tax by the document discount', () => {
    const totals = computeTotals(buildDocument([{ lineTotal: 190, taxAmount: 15.2 }], { totalDiscountAmount: 10 }));
    expect(toResponseTotals(totals)).toEqual({
      totalExcludingTax: 180,
      totalTaxAmount: 15.2,
      totalIncludingTax: 195.2,
      totalPayableAmount: 195.2,
    });
  });
});

describe('toResponseTotals', () => {
  it('returns exact sums even if doubles are inexact', () => {
    const lines = Array.from({ length: 30 }, () => ({ lineTotal: 0.1, taxAmount: 0.2 }));
    const answered = toResponseTotals(computeTotals(buildDocument(lines, { totalRoundingAmount: -0.01 })));
    expect(answered).toEqual({
      totalExcludingTax: 3,
      totalTaxAmount: 6,
      totalIncludingTax: 9,
      totalPayableAmount: 8.99,
    });
  });

  it('returns totals of 15 digits unchanged', () => {
    const lines = [{ lineTotal: 9_999_999_999_999.98, taxAmount: 0.01 }];
    const answered = toResponseTotals(computeTotals(buildDocument(lines, { totalRoundingAmount: -0 })));
    expect(JSON.stringify(answered.totalPayableAmount)).toBe('9999999999999.99');
    const free = toResponseTotals(computeTotals(buildDocument([{ lineTotal: 10 }], { totalDiscountAmount: 10 })));
    expect(Object.is(free.totalPayableAmount, 0)).toBe(true);
  });
});
