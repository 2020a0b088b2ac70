import { type Decimal, decimalOf, plainText, roundDown } from '../../common/decimal.js';
import { classificationHint, taxTypeHint, unitHint } from '../code-hints.js';
import { TAX_TYPES, isClassification, isTaxType, isUnit } from '../code-lists.js';
import type { LineItem } from '../simplified-document.js';
import { lineTotalOf, senOf } from '../totals.js';
import { type CheckedLine, type Seen, keptAmount, keptOptionalText, keptText } from './checked-document.js';
import type { Rule } from './rule.js';

/** How far the caller's line total may lie from the computed one, in ringgit (D4). */
const LINE_TOTAL_TOLERANCE = 0.01;

/** What the rules of a line and its kept form are both made from, computed once. */
export interface LineFacts {
  readonly sent: CheckedLine;
  readonly isDiscountTooHigh: boolean;
  /** round2(quantity × unitPrice − discount); null when an amount is broken or the discount is too high. */
  readonly computedTotal: number | null;
  readonly isTotalMismatched: boolean;
}

export function lineFactsOf(sent: CheckedLine): LineFacts {
  const { quantity, unitPrice, discount = 0 } = sent;
  if (typeof quantity !== 'number' || typeof unitPrice !== 'number' || discount === null) {
    return { sent, isDiscountTooHigh: false, computedTotal: null, isTotalMismatched: false };
  }
  const isDiscountTooHigh = discount > 0 && isAbove(discount, quantity, unitPrice);
  const computedTotal = isDiscountTooHigh ? null : lineTotalOf({ quantity, unitPrice, discount });
  return { sent, isDiscountTooHigh, computedTotal, isTotalMismatched: isMismatch(sent.lineTotal, computedTotal) };
}

/** Whether every amount of the line is settled, so that totals may be computed from its kept form. */
export function hasSettledAmounts({ sent, computedTotal, isTotalMismatched }: LineFacts): boolean {
  return computedTotal !== null && !isTotalMismatched && sent.lineTotal !== null && sent.taxAmount !== null;
}

/** The line as it is kept. Complete only when no rule is broken. */
export function lineItemOf({ sent, computedTotal }: LineFacts): LineItem {
  return {
    description: keptText(sent.description),
    quantity: keptAmount(sent.quantity),
    unitPrice: keptAmount(sent.unitPrice),
    discount: keptAmount(sent.discount),
    lineTotal: keptAmount(sent.lineTotal ?? computedTotal ?? undefined),
    taxAmount: keptAmount(sent.taxAmount),
    taxType: keptOptionalText(sent.taxType),
    taxExemptionReason: keptOptionalText(sent.taxExemptionReason),
    classification: keptOptionalText(sent.classification),
    unitCode: keptOptionalText(sent.unitCode),
  };
}

export const LINE_RULES: readonly Rule<LineFacts>[] = [
  {
    rule: 'line_discount_above_amount',
    member: 'discount',
    isBroken: ({ isDiscountTooHigh }) => isDiscountTooHigh,
    message: 'must not be above quantity × unitPrice',
    hint: ({ sent }) => `at most ${plainText(roundDown(grossOf(sent.quantity, sent.unitPrice), 2))}`,
  },
  {
    rule: 'line_line_total_mismatch',
    member: 'lineTotal',
    isBroken: ({ isTotalMismatched }) => isTotalMismatched,
    message: ({ computedTotal }) =>
      `must be within ${LINE_TOTAL_TOLERANCE} of quantity × unitPrice − discount, which is ${textOf(computedTotal)}`,
    hint: ({ computedTotal }) => `use ${textOf(computedTotal)}, or leave lineTotal out to have it computed`,
  },
  {
    rule: 'line_tax_type_unknown',
    member: 'taxType',
    isBroken: ({ sent }) => isOutside(sent.taxType, isTaxType),
    message: 'must be a tax type code, such as 01 (sales tax), 02 (service tax), 06 (not applicable) or E (exempt)',
    hint: ({ sent }) => taxTypeHint(sent.taxType) ?? `one of: ${TAX_TYPES.map(({ code }) => code).join(', ')}`,
  },
  {
    rule: 'line_tax_exemption_reason_required',
    member: 'taxExemptionReason',
    isBroken: ({ sent }) => keptText(sent.taxType) === 'E' && sent.taxExemptionReason === undefined,
    message: 'is required when taxType is E',
    hint: 'name the order or certificate that exempts the line',
  },
  {
    rule: 'line_classification_unknown',
    member: 'classification',
    isBroken: ({ sent }) => isOutside(sent.classification, isClassification),
    message: 'must be a classification code, such as 022 (others)',
    hint: ({ sent }) => classificationHint(sent.classification) ?? 'use 022, or leave it out',
  },
  {
    rule: 'line_unit_code_unknown',
    member: 'unitCode',
    isBroken: ({ sent }) => isOutside(sent.unitCode, isUnit),
    message: 'must be a UN/ECE unit code, such as C62 (one) or KGM (kilogram)',
    hint: ({ sent }) => unitHint(sent.unitCode) ?? 'use C62, or leave it out',
  },
];

function isAbove(discount: number, quantity: number, unitPrice: number): boolean {
  // Doubles decide all but the close cases: their product is off by far less than a part in 10^12.
  if (discount < quantity * unitPrice * (1 - 1e-12)) return false;
  return decimalOf(discount).gt(grossOf(quantity, unitPrice));
}

function grossOf(quantity: Seen<number>, unitPrice: Seen<number>): Decimal {
  return decimalOf(quantity ?? 0).times(decimalOf(unitPrice ?? 0));
}

function isMismatch(sent: Seen<number>, computed: number | null): boolean {
  if (typeof sent !== 'number' || computed === null) return false;
  return Math.abs(senOf(sent) - senOf(computed)) > senOf(LINE_TOTAL_TOLERANCE);
}

function isOutside(sent: Seen<string>, isListed: (code: string) => boolean): boolean {
  return typeof sent === 'string' && !isListed(sent.trim());
}

function textOf(amount: number | null): string {
  return amount === null ? '' : plainText(decimalOf(amount));
}
