import { type Decimal, ZERO } from '../../common/decimal.js';
import type { ExactTotals } from '../totals.js';
import { type UblNode, amount, constant } from './ubl.js';

/** A discount of the document or of one line; undefined, and so left out, when there is none. */
export function discountOf(value: number, reason: string, from: string): UblNode | undefined {
  if (value === 0) return undefined;
  return [
    {
      ChargeIndicator: constant(false),
      AllowanceChargeReason: constant(reason),
      Amount: amount(value, from),
    },
  ];
}

// A figure made from the lines and the header's amounts alike.
const FROM_WHOLE_DOCUMENT = '';

/**
 * The sums of D5 under the authority's names. Its allowance total counts the header discount only; line discounts are in
 * the line totals. The rounding is stated, be it 0, whenever something at the document's level adjusts the sum of the
 * lines, as in the authority's worked examples, and left out when payable is plainly lines plus tax.
 */
export function monetaryTotal(totals: ExactTotals): UblNode {
  const hasDiscount = !isZero(totals.totalDiscount);
  const isAdjusted = hasDiscount || !isZero(totals.totalRounding);
  return [
    {
      LineExtensionAmount: amount(totals.lineExtension, '/lineItems'),
      TaxExclusiveAmount: amount(totals.totalExcludingTax, FROM_WHOLE_DOCUMENT),
      TaxInclusiveAmount: amount(totals.totalIncludingTax, FROM_WHOLE_DOCUMENT),
      AllowanceTotalAmount: hasDiscount ? amount(totals.totalDiscount, '/totalDiscountAmount') : undefined,
      PayableRoundingAmount: isAdjusted ? amount(totals.totalRounding, '/totalRoundingAmount') : undefined,
      PayableAmount: amount(totals.totalPayableAmount, FROM_WHOLE_DOCUMENT),
    },
  ];
}

function isZero(value: Decimal): boolean {
  return value.eq(ZERO);
}
