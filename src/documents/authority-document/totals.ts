import { toRinggit } from '../rounding.js';
import type { TotalsInSen } from '../totals.js';
import { type UblNode, amount, constant } from './ubl.js';

/** Builds the discount of the document or of a line; undefined if it is 0. */
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

// Source of values that depend on the lines and on the header.
const FROM_WHOLE_DOCUMENT = '';

/**
 * Builds the sums of docs/rules.md#totals. The allowance total contains only the discount on the document, because line
 * totals already include line discounts. As in the authority's examples, the rounding is stated, even if 0, whenever
 * the document has a discount or a rounding.
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
