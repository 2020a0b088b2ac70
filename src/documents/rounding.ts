import { type Decimal, round, toDecimal } from '../common/decimal.js';
import { isSurelyDecimal } from '../http/validation/amount.js';

const MONEY_PLACES = 2;

const SEN_IN_RINGGIT = 100;

/** Rounds to sen, half away from zero (docs/rules.md#totals). */
export function roundMoney(value: Decimal): Decimal {
  return round(value, MONEY_PLACES);
}

/**
 * Converts ringgit with at most two decimals and 15 digits to sen. The error of such a double is less than half a sen.
 */
export function toSen(ringgit: number): number {
  // Adding zero converts minus zero to zero.
  return Math.round(ringgit * SEN_IN_RINGGIT) + 0;
}

export function toRinggit(sen: number): number {
  return sen / SEN_IN_RINGGIT;
}

/** Computes round2(a × b − less) exactly. Uses big.js if a double is not precise enough. */
export function roundProduct(a: number, b: number, less = 0): number {
  const exact = (): Decimal => toDecimal(a).times(toDecimal(b)).minus(toDecimal(less));
  // Adding zero converts minus zero to zero.
  return (roundScaledProduct(a, b, less) ?? Number(roundMoney(exact()))) + 0;
}

function roundScaledProduct(a: number, b: number, less: number): number | null {
  const [decimalsOfA, decimalsOfB] = [countDecimals(a), countDecimals(b)];
  if (decimalsOfA === null || decimalsOfB === null || !isSurelyDecimal(less, MONEY_PLACES)) return null;
  const decimals = Math.max(decimalsOfA + decimalsOfB, MONEY_PLACES);
  const unitsPerSen = 10 ** (decimals - MONEY_PLACES);
  const product =
    Math.round(a * 10 ** decimalsOfA) *
    Math.round(b * 10 ** decimalsOfB) *
    10 ** (decimals - decimalsOfA - decimalsOfB);
  const subtrahend = toSen(less) * unitsPerSen;
  const units = product - subtrahend;
  // A double above 2^53 may be inexact.
  const isExact = Number.isSafeInteger(product) && Number.isSafeInteger(subtrahend) && Number.isSafeInteger(units);
  return isExact ? toRinggit(divideRounded(units, unitsPerSen)) : null;
}

const DECIMALS_MAX = 5;

function countDecimals(value: number): number | null {
  for (let decimals = 0; decimals <= DECIMALS_MAX; decimals += 1) {
    if (isSurelyDecimal(value, decimals)) return decimals;
  }
  return null;
}

/** Divides whole numbers and rounds half away from zero. The divisor is positive and at most 2^52. */
export function divideRounded(dividend: number, divisor: number): number {
  const rest = dividend % divisor;
  const whole = (dividend - rest) / divisor;
  return 2 * Math.abs(rest) < divisor ? whole : whole + Math.sign(dividend);
}
