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
