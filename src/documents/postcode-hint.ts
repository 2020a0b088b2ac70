import { findStateCode } from './code-lists.js';

const POSTCODE_DIGITS = 5;
const OR_ABROAD = 'for an address outside Malaysia send country too';

// States with postcodes that start with a zero, and the digits that may follow it.
const DIGIT_AFTER_ZERO: Readonly<Record<string, RegExp | undefined>> = {
  // Kedah
  '02': /^[5-9]/,
  // Perlis
  '09': /^[12]/,
};

/** Suggests a Malaysian postcode if one is certain or likely. */
export function postcodeHint(postcode: string, state: string): string {
  const bare = postcode.replace(/[\s-]/g, '');
  if (bare !== postcode && /^\d{5}$/.test(bare)) return `use ${bare}, not ${postcode}`;
  const [only, another] = postcode.match(/(?<!\d)\d{5}(?!\d)/g) ?? [];
  if (only !== undefined && another === undefined) return `use ${only} alone`;
  const afterZero = DIGIT_AFTER_ZERO[findStateCode(state) ?? ''];
  if (!/^\d{4}$/.test(bare)) return `such as 50480, not ${postcode}; ${OR_ABROAD}`;
  if (afterZero?.test(bare) === true) return `use ${bare.padStart(POSTCODE_DIGITS, '0')}, not ${postcode}`;
  return `use ${bare.padEnd(POSTCODE_DIGITS, '0')}, not ${postcode}, if the last zero is missing; ${OR_ABROAD}`;
}
