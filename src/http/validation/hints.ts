import { toDecimal, formatPlain, round, SIGNIFICANT_DIGITS_MAX } from '../../common/decimal.js';
import { countCharacters } from './text.js';

// A hint explains how to correct a value. It is undefined if no correction is certain.

export type Hint = (value: unknown) => string | undefined;

export type OwnedHint = (value: unknown, owner: Readonly<Record<string, unknown>>) => string | undefined;

/** Limits the length of inspected strings, because most hints take more than linear time. */
const HINTED_CHARACTERS_MAX = 60;

/** Hint for strings that are too long to inspect. It contains no example, because clients would copy it literally. */
const ALONE = 'send the value alone, without other text';

export function limitHint(hint: OwnedHint | undefined, maxLength: number): OwnedHint {
  if (hint === undefined) return () => undefined;
  const inspectedMax = Math.max(HINTED_CHARACTERS_MAX, maxLength);
  return (value, owner) =>
    typeof value === 'string' && value.trim().length > inspectedMax ? ALONE : hint(value, owner);
}

export const IN_BRACES = 'an object in braces, {…}';
export const IN_BRACKETS = 'a list in square brackets, […]';

export type AmountUnit = 'MYR' | 'percent' | 'units';

interface NumberText {
  readonly unit: AmountUnit;
  /** Returns the hint for the number in the string, or undefined if the number is valid. */
  readonly hintFor: Hint;
  readonly ifNone: string;
}

const NUMBER_ALONE = 'write the number alone, without quotation marks, with a point before the decimals: 12.5';
// Accepts thousands separators, a currency on either side, and the negative forms -5, 5- and (5).
const NUMBER_TEXT =
  /^(?:RM|MYR)?\s*([-\u2212+(])?\s*(?:RM|MYR)?\s*(\d+|[1-9]\d{0,2}(?:,\d{3})+)(\.\d+)?\s*(?:RM|MYR)?\s*([-\u2212)])?$/i;
const MINUS = /[-\u2212(]/;
const NUMBER_CHARACTERS_MAX = 40;
const CURRENCY_CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
const CURRENCY_SIGN = /\p{Sc}/u;

export function missingNumberHint(missing: unknown): string {
  const form = 'write a number, without quotation marks';
  return typeof missing === 'string' ? `${form}: ${missing}` : form;
}

/** Suggests the number in a string: `"12.50"` becomes 12.5. */
export function unquotedHint(value: unknown, { unit, hintFor, ifNone }: NumberText): string {
  if (typeof value !== 'string' || value.length > NUMBER_CHARACTERS_MAX) return NUMBER_ALONE;
  const text = value.trim();
  if (!/\d/.test(text)) return ifNone;
  if (unit !== 'percent' && text.endsWith('%')) return 'send the amount in MYR, not a percentage';
  if (unit === 'MYR' && isInOtherCurrency(text)) return 'send the amount in MYR';
  const number = readNumberText(text.replace(/\s*%$/, ''));
  return number === null ? NUMBER_ALONE : (hintFor(number) ?? describeNumber(number, text));
}

function readNumberText(text: string): number | null {
  const [, before = '', whole, decimals = '', after = ''] = NUMBER_TEXT.exec(text) ?? [];
  if (whole === undefined) return null;
  const size = Number(whole.replaceAll(',', '') + decimals);
  return MINUS.test(before + after) ? -size : size;
}

function describeNumber(number: number, text: string): string {
  const written = `write ${plainNumber(number)}, without quotation marks`;
  const isCommaInDoubt = text.includes(',') && !text.includes('.');
  return isCommaInDoubt ? `${written}, if the comma separates thousands` : written;
}

function isInOtherCurrency(text: string): boolean {
  const [letters = ''] = /[A-Za-z]{3}/.exec(text) ?? [];
  const code = letters.toUpperCase();
  return CURRENCY_SIGN.test(text) || (code !== 'MYR' && CURRENCY_CODES.has(code));
}

export function quotedHint(value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return `write "${plainNumber(value)}", with quotation marks`;
}

export function shortenHint(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const surplus = countCharacters(value.trim()) - maxLength;
  return `shorten it by ${surplus} ${surplus === 1 ? 'character' : 'characters'}`;
}

export function forbiddenCharacterHint(
  value: unknown,
  isForbidden: (character: string) => boolean,
): string | undefined {
  if (typeof value !== 'string') return undefined;
  const characters = Array.from(value.trim());
  const first = characters.findIndex(isForbidden);
  if (first === -1) return undefined;
  const code = (characters[first].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const others = characters.filter(isForbidden).length - 1;
  return others === 0
    ? `remove character ${first + 1}, U+${code}`
    : `remove character ${first + 1}, U+${code}, and ${others} more of this kind`;
}

export function roundedHint(value: number, decimals: number): string {
  return `use ${formatPlain(round(toDecimal(value), decimals))}, rounded to ${decimals} decimals`;
}

export function preciseHint(value: number): string {
  return `use ${plainNumber(Number(value.toPrecision(SIGNIFICANT_DIGITS_MAX)))}`;
}

function plainNumber(value: number): string {
  return Number.isFinite(value) ? formatPlain(toDecimal(value)) : String(value);
}
