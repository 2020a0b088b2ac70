import { type Decimal, round } from '../common/decimal.js';

const MONEY_PLACES = 2;

// Below this many hundredths a double that was computed in a few steps is off by less than a millionth.
const HUNDREDTHS_MAX = 1e9;
const CLOSE_TO_A_HALF = 1e-6;

/** Rounded to sen, half away from zero (docs/rules.md#totals). */
export function roundMoney(value: Decimal): Decimal {
  return round(value, MONEY_PLACES);
}

/**
 * A product or quotient rounded to two decimals, half away from zero. Doubles decide all but what lies close to a half;
 * there, and for great values, the exact value does: exact arithmetic costs more than all the rest of a line.
 */
export function roundToSen(approximate: number, exact: () => Decimal): number | Decimal {
  const hundredths = approximate * 100;
  const distance = Math.abs(Math.abs(hundredths % 1) - 0.5);
  if (Math.abs(hundredths) < HUNDREDTHS_MAX && distance > CLOSE_TO_A_HALF) return Math.round(hundredths) / 100;
  return roundMoney(exact());
}
