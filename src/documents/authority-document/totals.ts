import { toRinggit } from '../rounding.js';
import type { TotalsInSen } from '../totals.js';
import { type UblNode, amount, constant } from './ubl.js';

/** A discount of the document or of one line; undefined, and so left out, when there is none. */
export function buildDiscount(value: number, reason: string, from: string): UblNode | undefined {
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
 * The sums of docs/rules.md#totals under the authority's names. Its allowance total counts the header discount only;
 * line discounts are in the line totals. The rounding is stated, even 0, whenever something at the document's level
 * adjusts the sum of the lines, as in the authority's worked examples, and left out when payable is plainly lines plus
 * tax.
 */
export function monetaryTotal(totals: TotalsInSen): UblNode {
  const hasDiscount = totals.totalDiscount !== 0;
  const isAdjusted = hasDiscount || totals.totalRounding !== 0;
  const ringgit = (sen: number, from: string): UblNode => amount(toRinggit(sen), from);
  return [
    {
      LineExtensionAmount: ringgit(totals.lineExtension, '/lineItems'),
      TaxExclusiveAmount: ringgit(totals.totalExcludingTax, FROM_WHOLE_DOCUMENT),
      TaxInclusiveAmount: ringgit(totals.totalIncludingTax, FROM_WHOLE_DOCUMENT),
      AllowanceTotalAmount: hasDiscount ? ringgit(totals.totalDiscount, '/totalDiscountAmount') : undefined,
      PayableRoundingAmount: isAdjusted ? ringgit(totals.totalRounding, '/totalRoundingAmount') : undefined,
      PayableAmount: ringgit(totals.totalPayableAmount, FROM_WHOLE_DOCUMENT),
    },
  ];
}
