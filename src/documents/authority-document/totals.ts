import { toRinggit } from '../../common/decimal.js';
import type { TotalsInSen } from '../totals.js';
import { type UblNode, amount, constant } from './ubl.js';

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

const FROM_WHOLE_DOCUMENT = '';

/**
 * The allowance total excludes line discounts. The rounding is included if the document has a discount or a rounding,
 * even if it is 0 (docs/rules.md#totals).
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
