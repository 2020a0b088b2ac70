import { type Decimal, ZERO, decimalOf, round } from '../common/decimal.js';
import type { DocumentTotals, LineItem, SimplifiedDocument } from './simplified-document.js';

const MONEY_PLACES = 2;

/** D5, exact; ringgit. Every figure has at most two decimals, since every line was rounded once before it is summed. */
export interface ExactTotals {
  readonly lineExtension: Decimal;
  readonly totalDiscount: Decimal;
  readonly totalExcludingTax: Decimal;
  readonly totalTaxAmount: Decimal;
  readonly totalIncludingTax: Decimal;
  readonly totalRounding: Decimal;
  readonly totalPayableAmount: Decimal;
}

/** Rounded to sen, half away from zero (D5). */
export function roundMoney(value: Decimal): Decimal {
  return round(value, MONEY_PLACES);
}

/** round2(quantity × unitPrice − discount) (D4): a line's total when the caller sends none, and the measure when it does. */
export function lineTotalOf(line: Pick<LineItem, 'quantity' | 'unitPrice' | 'discount'>): Decimal {
  return roundMoney(decimalOf(line.quantity).times(decimalOf(line.unitPrice)).minus(decimalOf(line.discount)));
}

/** The totals of D5, in its order. Line totals are taken as they stand in the document, where D4 has settled them. */
export function totalsOf(document: SimplifiedDocument): ExactTotals {
  let lineExtension = ZERO;
  let totalTaxAmount = ZERO;
  for (const line of document.lineItems) {
    lineExtension = lineExtension.plus(decimalOf(line.lineTotal));
    if (line.taxAmount !== 0) totalTaxAmount = totalTaxAmount.plus(decimalOf(line.taxAmount));
  }
  const totalDiscount = decimalOf(document.totalDiscountAmount);
  const totalRounding = decimalOf(document.totalRoundingAmount);
  const totalExcludingTax = lineExtension.minus(totalDiscount);
  const totalIncludingTax = totalExcludingTax.plus(totalTaxAmount);
  const totalPayableAmount = totalIncludingTax.plus(totalRounding);
  return {
    lineExtension,
    totalDiscount,
    totalExcludingTax,
    totalTaxAmount,
    totalIncludingTax,
    totalRounding,
    totalPayableAmount,
  };
}

/** The totals as the service answers them. Exact for amounts of at most 15 significant digits, the bound of D4. */
export function answeredTotals(exact: ExactTotals): DocumentTotals {
  return {
    totalExcludingTax: exact.totalExcludingTax.toNumber(),
    totalTaxAmount: exact.totalTaxAmount.toNumber(),
    totalIncludingTax: exact.totalIncludingTax.toNumber(),
    totalPayableAmount: exact.totalPayableAmount.toNumber(),
  };
}
