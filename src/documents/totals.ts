import { roundProduct, toRinggit, toSen } from './rounding.js';
import type { DocumentTotals, LineItem, SimplifiedDocument, UnitTax } from './simplified-document.js';

/**
 * docs/rules.md#totals, in whole sen. Exact: every amount has at most two decimals, since every line was rounded once
 * before it is summed, and a sum that is no safe integer is far above what docs/rules.md#amounts allows.
 */
export interface TotalsInSen {
  readonly lineExtension: number;
  readonly totalDiscount: number;
  readonly totalExcludingTax: number;
  readonly totalTaxAmount: number;
  /** Stated next to the totals, and in none of them. */
  readonly totalExemptedTax: number;
  readonly totalIncludingTax: number;
  readonly totalRounding: number;
  readonly totalPayableAmount: number;
}

/**
 * round2(quantity × unitPrice − discount) in ringgit (docs/rules.md#amounts): a line's total when the caller sends
 * none, and the measure when it does.
 */
export function computeLineTotal({ quantity, unitPrice, discount }: Amounts): number {
  return roundProduct(quantity, unitPrice, discount);
}

/**
 * round2(taxPerUnit × unitCount) in ringgit (docs/rules.md#amounts): a tax by unit when the caller sends none, and the
 * measure when it does.
 */
export function computeUnitTaxAmount({ taxPerUnit, unitCount }: UnitTax): number {
  return roundProduct(taxPerUnit, unitCount);
}

type Amounts = Pick<LineItem, 'quantity' | 'unitPrice' | 'discount'>;

/**
 * The totals in the order of docs/rules.md#totals. Line totals are taken from the document as they are
 * (docs/rules.md#amounts).
 */
export function computeTotals(document: Omit<SimplifiedDocument, 'documentType'>): TotalsInSen {
  let lineExtension = 0;
  let totalTaxAmount = 0;
  let totalExemptedTax = 0;
  for (const { lineTotal, taxAmount, exemptedTaxAmount } of document.lineItems) {
    lineExtension += toSen(lineTotal);
    totalTaxAmount += toSen(taxAmount);
    if (exemptedTaxAmount !== undefined) totalExemptedTax += toSen(exemptedTaxAmount);
  }
  const totalDiscount = toSen(document.totalDiscountAmount);
  const totalRounding = toSen(document.totalRoundingAmount);
  const totalExcludingTax = lineExtension - totalDiscount;
  const totalIncludingTax = totalExcludingTax + totalTaxAmount;
  return {
    lineExtension,
    totalDiscount,
    totalExcludingTax,
    totalTaxAmount,
    totalExemptedTax,
    totalIncludingTax,
    totalRounding,
    totalPayableAmount: totalIncludingTax + totalRounding,
  };
}

/**
 * The totals as the service responds with them, in ringgit. Exact for amounts of at most 15 digits, the bound of
 * docs/rules.md#amounts.
 */
export function toResponseTotals(totals: TotalsInSen): DocumentTotals {
  return {
    totalExcludingTax: toRinggit(totals.totalExcludingTax),
    totalTaxAmount: toRinggit(totals.totalTaxAmount),
    totalIncludingTax: toRinggit(totals.totalIncludingTax),
    totalPayableAmount: toRinggit(totals.totalPayableAmount),
  };
}
