import { toDecimal, formatPlain } from '../../common/decimal.js';
import type { LineItem } from '../simplified-document.js';
import { isPercentExact, computePercent } from '../tax-percent.js';
import { roundMoney } from '../rounding.js';
import type { Rule } from './rule.js';

/** What of a line's tax the caller may take otherwise than it is stated (docs/rules.md#warnings). */
export const TAX_WARNINGS: readonly Rule<LineItem>[] = [
  {
    rule: 'line_tax_exempted',
    member: taxMember,
    isBroken: ({ exemptedTaxAmount }) => exemptedTaxAmount !== undefined && exemptedTaxAmount !== 0,
    message: 'is stated as exempted tax, since taxType is E: it is in no total and the buyer does not pay it',
    hint: ({ exemptedTaxAmount }) =>
      `to charge ${formatAmount(exemptedTaxAmount ?? 0)}, send the type of the tax as taxType and leave taxExemptionReason out`,
  },
  {
    rule: 'line_tax_percent_inexact',
    member: 'taxAmount',
    isBroken: (line) => line.unitTax === undefined && !isPercentExact(line),
    message: (line) =>
      `is not a percentage of the line total with two decimals: ${percentText(line)} % is stated, which gives ${statedTax(line)}`,
    hint: 'a tax by unit, such as tourism tax, is sent as taxPerUnit with taxUnitCount; else compare the tax with its rate',
  },
];

function taxMember({ unitTax }: LineItem): string {
  return unitTax === undefined ? 'taxAmount' : 'taxPerUnit';
}

function percentText(line: LineItem): string {
  return formatPlain(toDecimal(Number(computePercent(line))));
}

function statedTax(line: LineItem): string {
  const percent = toDecimal(Number(computePercent(line)));
  return formatPlain(roundMoney(toDecimal(line.lineTotal).times(percent).div(100)));
}

function formatAmount(amount: number): string {
  return formatPlain(toDecimal(amount));
}
