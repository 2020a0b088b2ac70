import { toDecimal, formatPlain, toSen } from '../../common/decimal.js';
import type { LineItem } from '../simplified-document.js';
import { computeQuotient, findPercent } from '../tax-percent.js';
import type { CheckedLine, Rule } from './rule.js';

export interface WarnedLine {
  readonly line: LineItem;
  readonly sent: CheckedLine;
}

/** Warnings about taxes that may not be what the caller intended (docs/rules.md#warnings). */
export const TAX_WARNINGS: readonly Rule<WarnedLine>[] = [
  {
    rule: 'line_tax_exempted',
    member: taxMember,
    isBroken: ({ line: { exemptedTaxAmount } }) => exemptedTaxAmount !== undefined && exemptedTaxAmount !== 0,
    message: 'is stated as exempted tax, since taxType is E: it is in no total and the buyer does not pay it',
    hint: ({ line: { exemptedTaxAmount } }) =>
      `to charge ${formatAmount(exemptedTaxAmount ?? 0)}, send the type of the tax as taxType and leave taxExemptionReason out`,
  },
  {
    rule: 'line_tax_percent_inexact',
    member: 'taxAmount',
    isBroken: ({ line }) =>
      line.taxRate === undefined && line.unitTax === undefined && !isHigh(line) && findPercent(line) === undefined,
    message: ({ line }) =>
      `is no whole, half or quarter percentage of the line total: ${percentText(line)} % is stated`,
    hint:
      'compare the tax with its rate; send another rate as taxRate, and a tax by unit, such as tourism tax, as ' +
      'taxPerUnit with taxUnitCount',
  },
  {
    // Malaysia has no rate this low. A caller who sends 0.06 probably means 6 %.
    rule: 'line_tax_rate_low',
    member: rateMember,
    isBroken: ({ line: { taxRate = 0 } }) => taxRate > 0 && taxRate < 1,
    message: ({ line: { taxRate = 0 } }) => `is ${formatAmount(taxRate)} %, and no tax has so low a rate`,
    hint: ({ line: { taxRate = 0 } }) =>
      `send ${formatPlain(toDecimal(taxRate).times(100))} if that is the rate in percent`,
  },
  {
    rule: 'line_tax_high',
    member: taxMember,
    isBroken: ({ line }) => isHigh(line),
    message: ({ line, sent }) =>
      line.taxRate === undefined || sent.taxAmount !== undefined
        ? `is ${percentText(line)} % of the line total, and no tax is above ${HIGH_PERCENT} %`
        : `is ${formatAmount(line.taxRate)} %, and no tax is above ${HIGH_PERCENT} %`,
    hint: ({ line: { taxRate }, sent }) => {
      if (taxRate === undefined) return 'send the tax of this line alone, in MYR';
      return sent.taxAmount === undefined
        ? 'compare it with the rate in percent; send a tax in MYR as taxAmount, without the rate'
        : 'send the tax of this line alone, in MYR, with its rate in percent';
    },
  },
];

const HIGH_PERCENT = 30;

function taxMember({ line, sent }: WarnedLine): string {
  if (line.unitTax !== undefined) return 'taxPerUnit';
  return line.taxRate === undefined || sent.taxAmount !== undefined ? 'taxAmount' : rateMember({ sent });
}

function rateMember({ sent }: Pick<WarnedLine, 'sent'>): string {
  return sent.taxRate === undefined ? 'tax_rate' : 'taxRate';
}

/** Returns whether the tax is improbably high. A line total of 0 has no percentage. */
function isHigh({ unitTax, lineTotal, taxAmount, taxRate }: LineItem): boolean {
  // Uses the unrounded rate, because rounding distorts small taxes: 30 % of 0.02 becomes 50 %.
  if (taxRate !== undefined) return taxRate > HIGH_PERCENT;
  return unitTax === undefined && lineTotal > 0 && 100 * toSen(taxAmount) > HIGH_PERCENT * toSen(lineTotal);
}

function percentText(line: LineItem): string {
  return formatPlain(toDecimal(Number(computeQuotient(line))));
}

function formatAmount(amount: number): string {
  return formatPlain(toDecimal(amount));
}
