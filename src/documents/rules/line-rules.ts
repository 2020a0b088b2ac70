import { type Decimal, toDecimal, formatPlain, round, roundDown, toRinggit, toSen } from '../../common/decimal.js';
import { TAX_EXEMPT } from '../authority-document/line-defaults.js';
import { classificationHint, taxTypeHint, unitHint } from '../code-hints.js';
import { isClassification, isTaxType, isUnit } from '../code-lists.js';
import type { LineItem, Named, UnitTax } from '../simplified-document.js';
import { computeTax, findPercent } from '../tax-percent.js';
import { computeLineTotal, computeUnitTaxAmount } from '../totals.js';
import {
  type CheckedLine,
  type CheckedMember,
  normaliseAmount,
  normaliseOptionalText,
  normaliseText,
  type Rule,
} from './rule.js';

/** In ringgit (docs/rules.md#amounts). */
const TOLERANCE = 0.01;

const PRICE_DECIMALS = 5;

export interface LineFacts {
  readonly sent: CheckedLine;
  readonly isDiscountTooHigh: boolean;
  /** Null if an amount is malformed or the discount is too high. */
  readonly computedTotal: number | null;
  readonly isTotalMismatched: boolean;
  readonly unitTax: UnitTax | undefined;
  readonly taxRate: CheckedMember<number>;
  readonly computedTax: number | null;
  readonly isTaxMismatched: boolean;
}

export function readLineFacts(sent: CheckedLine): LineFacts {
  const totals = readTotalFacts(sent);
  return { sent, ...totals, ...readTaxFacts(sent, totals) };
}

type TotalFacts = Pick<LineFacts, 'isDiscountTooHigh' | 'computedTotal' | 'isTotalMismatched'>;

function readTotalFacts(sent: CheckedLine): TotalFacts {
  const { quantity, unitPrice, discount = 0 } = sent;
  if (typeof quantity !== 'number' || typeof unitPrice !== 'number' || discount === null) {
    return { isDiscountTooHigh: false, computedTotal: null, isTotalMismatched: false };
  }
  const isDiscountTooHigh = discount > 0 && isAbove(discount, quantity, unitPrice);
  const computedTotal = isDiscountTooHigh ? null : computeLineTotal({ quantity, unitPrice, discount });
  return { isDiscountTooHigh, computedTotal, isTotalMismatched: isMismatch(sent.lineTotal, computedTotal) };
}

type TaxFacts = Pick<LineFacts, 'unitTax' | 'taxRate' | 'computedTax' | 'isTaxMismatched'>;

/** A line with both a rate and a tax per unit is rejected, so neither tax is computed. */
function readTaxFacts(sent: CheckedLine, totals: TotalFacts): TaxFacts {
  const taxRate = readTaxRate(sent);
  const unitTax = readUnitTax(sent);
  const none = { unitTax, taxRate, computedTax: null, isTaxMismatched: false };
  if (hasTwoTaxes(sent)) return none;
  const computedTax = unitTax === undefined ? computeRateTax(taxRate, sent, totals) : computeUnitTaxAmount(unitTax);
  return { ...none, computedTax, isTaxMismatched: isMismatch(sent.taxAmount, computedTax) };
}

function readUnitTax({ taxPerUnit, quantity, taxUnitCount = quantity }: CheckedLine): UnitTax | undefined {
  if (typeof taxPerUnit !== 'number' || typeof taxUnitCount !== 'number') return undefined;
  return { taxPerUnit, unitCount: taxUnitCount };
}

function readTaxRate({ taxRate, tax_rate }: CheckedLine): CheckedMember<number> {
  return taxRate === null || tax_rate === null ? null : (taxRate ?? tax_rate);
}

function computeRateTax(
  taxRate: CheckedMember<number>,
  { lineTotal }: CheckedLine,
  { computedTotal, isTotalMismatched }: TotalFacts,
): number | null {
  const total = lineTotal === undefined ? computedTotal : lineTotal;
  if (typeof taxRate !== 'number' || total === null || isTotalMismatched) return null;
  return computeTax(total, taxRate);
}

function hasTwoTaxes(sent: CheckedLine): boolean {
  return hasTaxRate(sent) && sent.taxPerUnit !== undefined;
}

function hasTaxRate({ taxRate, tax_rate }: CheckedLine): boolean {
  return taxRate !== undefined || tax_rate !== undefined;
}

export function hasSettledAmounts(facts: LineFacts): boolean {
  return (
    facts.computedTotal !== null && !facts.isTotalMismatched && facts.sent.lineTotal !== null && hasSettledTax(facts)
  );
}

function hasSettledTax({ sent, unitTax, taxRate, isTaxMismatched }: LineFacts): boolean {
  if (sent.taxAmount === null || taxRate === null || isTaxMismatched || hasTwoTaxes(sent)) return false;
  const isByUnit = sent.taxPerUnit !== undefined || sent.taxUnitCount !== undefined;
  return !isByUnit || unitTax !== undefined;
}

/** Returns the line as it is stored. The result is valid only if no rule is broken. */
export function toLineItem({ sent, computedTotal, unitTax, taxRate, computedTax }: LineFacts): Named<LineItem> {
  const tax = normaliseAmount(sent.taxAmount ?? computedTax ?? undefined);
  const isExempt = isExemptType(sent);
  return {
    description: normaliseText(sent.description),
    quantity: normaliseAmount(sent.quantity),
    unitPrice: normaliseAmount(sent.unitPrice),
    discount: normaliseAmount(sent.discount),
    lineTotal: normaliseAmount(sent.lineTotal ?? computedTotal ?? undefined),
    taxAmount: isExempt ? 0 : tax,
    exemptedTaxAmount: isExempt ? tax : undefined,
    taxRate: taxRate ?? undefined,
    unitTax,
    taxType: normaliseOptionalText(sent.taxType),
    taxExemptionReason: normaliseOptionalText(sent.taxExemptionReason),
    classification: normaliseOptionalText(sent.classification),
    unitCode: normaliseOptionalText(sent.unitCode),
  };
}

export const LINE_RULES: readonly Rule<LineFacts>[] = [
  {
    rule: 'line_discount_above_amount',
    member: 'discount',
    isBroken: ({ isDiscountTooHigh }) => isDiscountTooHigh,
    message: 'must not be above quantity × unitPrice',
    hint: ({ sent }) =>
      `at most ${formatPlain(roundDown(computeGross(sent.quantity, sent.unitPrice), 2))}, an amount in MYR and not a percentage; credit an earlier invoice with a credit note`,
  },
  {
    rule: 'line_line_total_mismatch',
    member: 'lineTotal',
    isBroken: ({ isTotalMismatched }) => isTotalMismatched,
    message: ({ computedTotal }) =>
      `must be within ${TOLERANCE} of quantity × unitPrice − discount, which is ${formatAmount(computedTotal)}`,
    hint: lineTotalHint,
  },
  {
    rule: 'line_tax_amount_mismatch',
    member: 'taxAmount',
    isBroken: ({ unitTax, isTaxMismatched }) => unitTax !== undefined && isTaxMismatched,
    message: ({ sent, computedTax }) =>
      `must be within ${TOLERANCE} of taxPerUnit × ${unitCountMember(sent)}, which is ${formatAmount(computedTax)}`,
    hint: ({ sent, computedTax }) =>
      `${twoTaxesHint(sent)}; if it has one, leave the wrong one out: ${formatAmount(computedTax)} is billed without ` +
      `taxAmount, ${formatAmount(sent.taxAmount)} without ${unitTaxMembers(sent)}`,
  },
  {
    rule: 'line_tax_rate_mismatch',
    member: 'taxAmount',
    isBroken: ({ unitTax, isTaxMismatched }) => unitTax === undefined && isTaxMismatched,
    message: ({ sent, taxRate, computedTax }) =>
      `is ${formatAmount(sent.taxAmount)}, but ${formatAmount(taxRate)} % of the line total is ${formatAmount(computedTax)}`,
    hint: taxRateHint,
  },
  {
    rule: 'line_tax_rate_with_tax_per_unit',
    member: rateMember,
    isBroken: ({ sent }) => hasTwoTaxes(sent),
    message: 'must not be sent with taxPerUnit: a line has one tax',
    hint: ({ sent }) =>
      `${twoTaxesHint(sent)}; if it has one, leave either ${rateMember({ sent })} or ${unitTaxMembers(sent)} out`,
  },
  {
    rule: 'line_tax_per_unit_required',
    member: 'taxPerUnit',
    isBroken: ({ sent }) => sent.taxUnitCount !== undefined && sent.taxPerUnit === undefined,
    message: 'is required with taxUnitCount',
    // If only taxPerUnit were moved, the tax would be computed from the quantity.
    hint:
      'send the tax on one unit; if taxPerUnit is in a separate line, move taxUnitCount there; leave taxUnitCount ' +
      'out only if no line has a tax by unit',
  },
  {
    rule: 'line_tax_type_unknown',
    member: 'taxType',
    isBroken: ({ sent }) => isOutside(sent.taxType, isTaxType),
    message: 'must be a tax type code, such as 01 (sales tax), 02 (service tax), 06 (not applicable) or E (exempt)',
    hint: ({ sent }) => taxTypeHint(sent.taxType),
  },
  {
    rule: 'line_tax_exemption_reason_required',
    member: 'taxExemptionReason',
    isBroken: ({ sent }) => isExemptType(sent) && sent.taxExemptionReason === undefined,
    message: 'is required when taxType is E',
    hint: 'send the order or certificate that exempts the line; a line that is not taxable has taxType 06',
  },
  {
    rule: 'line_classification_unknown',
    member: 'classification',
    isBroken: ({ sent }) => isOutside(sent.classification, isClassification),
    message: 'must be a classification code, such as 022 (others)',
    hint: ({ sent }) => classificationHint(sent.classification),
  },
  {
    rule: 'line_unit_code_unknown',
    member: 'unitCode',
    isBroken: ({ sent }) => isOutside(sent.unitCode, isUnit),
    message: 'must be a UN/ECE unit code, such as C62 (one) or KGM (kilogram)',
    hint: ({ sent }) => unitHint(sent.unitCode),
  },
];

/** The unit count must move with its tax; otherwise the quantity would be taxed. */
function twoTaxesHint(sent: CheckedLine): string {
  return (
    `if the line has two taxes, move ${unitTaxMembers(sent)} to a separate line with the same quantity, unitPrice 0 ` +
    'and its own taxType'
  );
}

function unitTaxMembers({ taxUnitCount }: CheckedLine): string {
  return taxUnitCount === undefined ? 'taxPerUnit' : 'taxPerUnit and taxUnitCount';
}

function lineTotalHint(facts: LineFacts): string {
  const [lineTotal, computed] = [facts.sent.lineTotal ?? 0, facts.computedTotal ?? 0];
  const difference = toSen(lineTotal) - toSen(computed);
  if (difference === toSen(taxOf(facts, computed))) return `use ${formatAmount(computed)}, without the tax`;
  if (-difference === toSen(taxOf(facts, lineTotal))) return priceBeforeTaxHint(facts.sent);
  const other =
    difference < 0
      ? `if the line is reduced to ${formatAmount(lineTotal)}, add ${formatAmount(toRinggit(-difference))} to its discount`
      : `if ${formatAmount(lineTotal)} is right, correct quantity, unitPrice or discount`;
  return `${other}; if ${formatAmount(computed)} is right, leave lineTotal out`;
}

function taxOf({ sent: { taxAmount }, taxRate, unitTax }: LineFacts, lineTotal: number): number {
  if (typeof taxAmount === 'number') return taxAmount;
  if (typeof taxRate === 'number') return computeTax(lineTotal, taxRate);
  return unitTax === undefined ? 0 : computeUnitTaxAmount(unitTax);
}

/** A price that includes the tax would be taxed twice. */
function priceBeforeTaxHint({ quantity, lineTotal, discount }: CheckedLine): string {
  const advice = 'the price includes the tax: send the price before tax';
  if ((discount ?? 0) > 0) return `${advice} as unitPrice, and the discount before tax`;
  const unitPrice = Number(round(toDecimal(lineTotal ?? 0).div(toDecimal(quantity ?? 1)), PRICE_DECIMALS));
  const isExact = computeLineTotal({ quantity: quantity ?? 1, unitPrice, discount: 0 }) === lineTotal;
  return isExact ? `${advice}, unitPrice ${formatAmount(unitPrice)}` : `${advice} as unitPrice`;
}

function taxRateHint({ sent, computedTotal, computedTax }: LineFacts): string {
  const [taxAmount, lineTotal] = [sent.taxAmount ?? 0, sent.lineTotal ?? computedTotal ?? 0];
  const percent = findPercent({ taxAmount, lineTotal });
  const other = percent === undefined ? 'leave the rate out' : `send the rate ${percent}`;
  return `if the rate is right, leave taxAmount out: the tax is then ${formatAmount(computedTax)}; if the tax is right, ${other}`;
}

function rateMember({ sent }: Pick<LineFacts, 'sent'>): string {
  return sent.taxRate === undefined ? 'tax_rate' : 'taxRate';
}

function isAbove(discount: number, quantity: number, unitPrice: number): boolean {
  // A double decides all but close cases, because its error is far below one part in 10^12.
  if (discount < quantity * unitPrice * (1 - 1e-12)) return false;
  return toDecimal(discount).gt(computeGross(quantity, unitPrice));
}

function computeGross(quantity: CheckedMember<number>, unitPrice: CheckedMember<number>): Decimal {
  return toDecimal(quantity ?? 0).times(toDecimal(unitPrice ?? 0));
}

function isMismatch(sent: CheckedMember<number>, computed: number | null): boolean {
  if (typeof sent !== 'number' || computed === null) return false;
  return Math.abs(toSen(sent) - toSen(computed)) > toSen(TOLERANCE);
}

function isExemptType({ taxType }: CheckedLine): boolean {
  return normaliseText(taxType) === TAX_EXEMPT;
}

function unitCountMember({ taxUnitCount }: CheckedLine): string {
  return taxUnitCount === undefined ? 'quantity' : 'taxUnitCount';
}

function isOutside(sent: CheckedMember<string>, isListed: (code: string) => boolean): boolean {
  return typeof sent === 'string' && !isListed(sent.trim());
}

function formatAmount(amount: CheckedMember<number>): string {
  return amount === null || amount === undefined ? '' : formatPlain(toDecimal(amount));
}
