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
