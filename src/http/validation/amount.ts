/** Digits before the point that a number below AMOUNT_LIMIT has at most. */
export const AMOUNT_WHOLE_DIGITS = 13;

/** Decimal numbers of so many digits survive the way through a double (docs/rules.md#amounts). */
export const SIGNIFICANT_DIGITS_MAX = 15;

const DIGITS_LIMIT = 10 ** SIGNIFICANT_DIGITS_MAX;
const POWERS_OF_TEN: readonly number[] = [1, 10, 100, 1e3, 1e4, 1e5];

/**
 * Whether arithmetic alone shows that the number has at most `decimals` decimals and SIGNIFICANT_DIGITS_MAX significant
 * digits: it is the double nearest to a whole number of at most 15 digits divided by 10^decimals, and decimals of 15
 * digits and doubles correspond one to one. Ten times as fast as writing the number down; false decides nothing.
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

/** The digits of a finite number's shortest decimal form: 0.1 has one, 12.50 has three and one decimal. */
export function splitDigits(value: number): Digits {
  const [mantissa = '', exponent = '0'] = String(Math.abs(value)).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const decimals = Math.max(0, fraction.length - Number(exponent));
  const digits = (whole + fraction).replace(/^0+/, '');
  return { significant: (fraction === '' ? digits.replace(/0+$/, '') : digits).length, decimals };
}
