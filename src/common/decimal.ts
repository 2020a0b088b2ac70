import { Big } from 'big.js';

export type Decimal = Big;

/** Exclusive upper bound of absolute amounts, quantities and prices (docs/rules.md#amounts). */
export const AMOUNT_LIMIT = 1e13;

/** Converts a number by its shortest decimal form, so that `0.1` becomes exactly one tenth. */
export function toDecimal(value: number): Decimal {
  return new Big(value);
}

export function round(value: Decimal, places: number): Decimal {
  return value.round(places, Big.roundHalfUp);
}

export function roundDown(value: Decimal, places: number): Decimal {
  return value.round(places, Big.roundDown);
}

/** Formats without an exponent, because the authority rejects exponents. */
export function formatPlain(value: Decimal): string {
  return value.toFixed();
}

/** Maximum number of digits before the decimal point of a number below AMOUNT_LIMIT. */
export const AMOUNT_WHOLE_DIGITS = 13;

/** Decimal numbers with at most this many digits survive conversion to a double (docs/rules.md#amounts). */
export const SIGNIFICANT_DIGITS_MAX = 15;

const DIGITS_LIMIT = 10 ** SIGNIFICANT_DIGITS_MAX;
const POWERS_OF_TEN: readonly number[] = [1, 10, 100, 1e3, 1e4, 1e5];

/**
 * Returns true only for numbers with at most `decimals` decimals and SIGNIFICANT_DIGITS_MAX significant digits, but may
 * return false for such numbers. Ten times as fast as `splitDigits`.
 */
export function isSurelyDecimal(value: number, decimals: number): boolean {
  const scale = POWERS_OF_TEN[decimals] ?? Number.NaN;
  const scaled = Math.round(value * scale);
  return Math.abs(scaled) < DIGITS_LIMIT && scaled / scale === value;
}

interface Digits {
  readonly significant: number;
  readonly decimals: number;
}

/**
 * Counts the digits in the shortest decimal form of a finite number: 12.5 has three significant digits and one decimal.
 */
export function splitDigits(value: number): Digits {
  const [mantissa = '', exponent = '0'] = String(Math.abs(value)).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const decimals = Math.max(0, fraction.length - Number(exponent));
  const digits = (whole + fraction).replace(/^0+/, '');
  return { significant: (fraction === '' ? digits.replace(/0+$/, '') : digits).length, decimals };
}

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
