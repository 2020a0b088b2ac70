import { type Decimal, toDecimal } from '../common/decimal.js';
import { divideRounded, roundMoney, toSen } from './rounding.js';
import type { LineItem } from './simplified-document.js';

type Taxed = Pick<LineItem, 'taxAmount' | 'lineTotal'>;

const HUNDRED = toDecimal(100);

// A percentage of two decimals counts ten-thousandths.
const WHOLE = 10_000;
const PERCENT_UNITS = WHOLE / 100;

/**
 * The percentage that is stated for a line's tax: round2(tax ÷ line total × 100), and 0 for a line of 0
 * (docs/rules.md#authority-document).
 */
export function computePercent({ taxAmount, lineTotal }: Taxed): number | Decimal {
  if (lineTotal === 0) return 0;
  const dividend = toSen(taxAmount) * WHOLE;
  if (Number.isSafeInteger(dividend)) return divideRounded(dividend, toSen(lineTotal)) / PERCENT_UNITS;
  // big.js rounds a quotient to 20 decimals. One of amounts below 10^13 that is no half is further away from a half.
  return roundMoney(toDecimal(taxAmount).times(HUNDRED).div(toDecimal(lineTotal)));
}

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
