import { Big } from 'big.js';

/** An exact decimal number; money is in ringgit (MYR). */
export type Decimal = Big;

/** Every amount, quantity, price and computed total is below this in absolute value (docs/rules.md#amounts). */
export const AMOUNT_LIMIT = 1e13;

/** The exact value of a JSON number: doubles enter through their shortest text, so `0.1` is one tenth. */
export function toDecimal(value: number): Decimal {
  return new Big(value);
}

/** Rounded to `places` decimals, half away from zero (docs/rules.md#totals). */
export function round(value: Decimal, places: number): Decimal {
  return value.round(places, Big.roundHalfUp);
}

/** Cut to `places` decimals, towards zero. */
export function roundDown(value: Decimal, places: number): Decimal {
  return value.round(places, Big.roundDown);
}

/** The shortest plain decimal text, never with an exponent (the authority refuses one): `1436.5`, `85`. */
export function formatPlain(value: Decimal): string {
  return value.toFixed();
}
