import { type Decimal, ZERO, decimalOf } from '../../common/decimal.js';
import type { ExactTotals } from '../totals.js';
import { type UblNode, amount, element } from './ubl.js';

/** A discount of the document or of one line; undefined, and so left out, when there is none. */
export function discountOf(value: number, reason: string): UblNode[] | undefined {
  if (value === 0) return undefined;
  return [
    {
      ChargeIndicator: element(false),
      AllowanceChargeReason: element(reason),
      Amount: amount(decimalOf(value)),
    },
  ];
}

/**
 * The sums of D5 under the authority's names. Its allowance total counts the header discount only; line discounts are in
 * the line totals. The rounding is stated, be it 0, whenever something at the document's level adjusts the sum of the
 * lines, as in the authority's worked examples, and left out when payable is plainly lines plus tax.
 */
export function monetaryTotal(totals: ExactTotals): UblNode[] {
  const hasDiscount = !isZero(totals.totalDiscount);
  const isAdjusted = hasDiscount || !isZero(totals.totalRounding);
  return [
    {
      LineExtensionAmount: amount(totals.lineExtension),
      TaxExclusiveAmount: amount(totals.totalExcludingTax),
      TaxInclusiveAmount: amount(totals.totalIncludingTax),
      AllowanceTotalAmount: hasDiscount ? amount(totals.totalDiscount) : undefined,
      PayableRoundingAmount: isAdjusted ? amount(totals.totalRounding) : undefined,
      PayableAmount: amount(totals.totalPayableAmount),
    },
  ];
}

function isZero(value: Decimal): boolean {
  return value.eq(ZERO);
}
