import { roundProduct, toRinggit, toSen } from '../common/decimal.js';
import type { DocumentTotals, LineItem, SimplifiedDocument, UnitTax } from './simplified-document.js';

/** Totals in whole sen, which are exact because all amounts are rounded and limited (docs/rules.md#totals). */
export interface TotalsInSen {
  readonly lineExtension: number;
  readonly totalDiscount: number;
  readonly totalExcludingTax: number;
  readonly totalTaxAmount: number;
  readonly totalExemptedTax: number;
  readonly totalIncludingTax: number;
  readonly totalRounding: number;
  readonly totalPayableAmount: number;
}

/** Returns round2(quantity × unitPrice − discount) in ringgit (docs/rules.md#amounts). */
export function computeLineTotal({ quantity, unitPrice, discount }: Amounts): number {
  return roundProduct(quantity, unitPrice, discount);
}

/** Returns round2(taxPerUnit × unitCount) in ringgit (docs/rules.md#amounts). */
export function computeUnitTaxAmount({ taxPerUnit, unitCount }: UnitTax): number {
  return roundProduct(taxPerUnit, unitCount);
}

type Amounts = Pick<LineItem, 'quantity' | 'unitPrice' | 'discount'>;

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

export function toResponseTotals(totals: TotalsInSen): DocumentTotals {
  return {
    totalExcludingTax: toRinggit(totals.totalExcludingTax),
    totalTaxAmount: toRinggit(totals.totalTaxAmount),
    totalIncludingTax: toRinggit(totals.totalIncludingTax),
    totalPayableAmount: toRinggit(totals.totalPayableAmount),
  };
}
