import { toDecimal } from '../common/decimal.js';
import { roundToSen } from './rounding.js';
import type { DocumentTotals, LineItem, SimplifiedDocument, UnitTax } from './simplified-document.js';

const SEN_IN_RINGGIT = 100;

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
  const exact = (): ReturnType<typeof toDecimal> =>
    toDecimal(quantity).times(toDecimal(unitPrice)).minus(toDecimal(discount));
  // The sum turns minus zero into zero.
  return Number(roundToSen(quantity * unitPrice - discount, exact)) + 0;
}

/**
 * round2(taxPerUnit × unitCount) in ringgit (docs/rules.md#amounts): a tax by unit when the caller sends none, and the
 * measure when it does.
 */
export function computeUnitTaxAmount({ taxPerUnit, unitCount }: UnitTax): number {
  const exact = (): ReturnType<typeof toDecimal> => toDecimal(taxPerUnit).times(toDecimal(unitCount));
  return Number(roundToSen(taxPerUnit * unitCount, exact));
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

/** An amount of ringgit with at most two decimals and 15 digits, in sen: its double is off by less than half of one. */
export function toSen(ringgit: number): number {
  // The sum turns minus zero into zero.
  return Math.round(ringgit * SEN_IN_RINGGIT) + 0;
}

/** The double that is nearest to so many sen, in ringgit: the one that its decimal text is read as. */
export function toRinggit(sen: number): number {
  return sen / SEN_IN_RINGGIT;
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
