import { type Decimal, toDecimal } from '../common/decimal.js';
import { roundToSen } from './rounding.js';
import type { LineItem } from './simplified-document.js';
import { toSen } from './totals.js';

type Taxed = Pick<LineItem, 'taxAmount' | 'lineTotal'>;

const HUNDRED = toDecimal(100);

/**
 * The percentage that is stated for a line's tax: round2(tax ÷ line total × 100), and 0 for a line of 0
 * (docs/rules.md#authority-document).
 */
export function computePercent({ taxAmount, lineTotal }: Taxed): number | Decimal {
  if (lineTotal === 0) return 0;
  // Multiplied first: the quotient is cut at 20 decimals, and so stays exact where a half decides the rounding.
  const exact = (): Decimal => toDecimal(taxAmount).times(HUNDRED).div(toDecimal(lineTotal));
  return roundToSen((taxAmount * 100) / lineTotal, exact);
}

// A percentage of two decimals counts ten-thousandths.
const WHOLE = 10_000;

/**
 * Whether the percentage that is stated gives the tax, be half a sen rounded up or down. No other percentage of two
 * decimals comes closer to the tax.
 */
export function isPercentExact(line: Taxed): boolean {
  const { taxAmount, lineTotal } = line;
  // Up to RM 100 a step of a percentage is at most a sen, and so leaves out no tax.
  if (taxAmount === 0 || (lineTotal > 0 && lineTotal <= 100)) return true;
  const percent = toSen(Number(computePercent(line)));
  const stated = percent * toSen(lineTotal);
  const sent = toSen(taxAmount) * WHOLE;
  const difference =
    Number.isSafeInteger(stated) && Number.isSafeInteger(sent)
      ? stated - sent
      : Number(BigInt(percent) * BigInt(toSen(lineTotal)) - BigInt(toSen(taxAmount)) * BigInt(WHOLE));
  return 2 * Math.abs(difference) <= WHOLE;
}
