import { toDecimal, formatPlain, round } from '../common/decimal.js';
import { SIGNIFICANT_DIGITS_MAX } from './amount.js';
import { countCharacters } from './text.js';

// What a field can say about correcting its value, in the caller's own values; undefined when nothing is certain.

export type Hint = (value: unknown) => string | undefined;

/** Hints recognise no longer texts. A longer one is not inspected, because most hints take more than linear time. */
const HINTED_CHARACTERS_MAX = 60;

/** Limits a hint to values that are short enough to be inspected. */
export function limitHint(hint: Hint = () => undefined): Hint {
  return (value) =>
    typeof value === 'string' && value.trim().length > HINTED_CHARACTERS_MAX ? undefined : hint(value);
}

/** For what is no object, and what is no list. */
export const IN_BRACES = 'an object in braces, {…}';
export const IN_BRACKETS = 'a list in square brackets, […]';

const NUMBER_EXAMPLE = 'write a number such as 12.5, without quotation marks';
// Commas between groups of three digits, as amounts are written in Malaysia; a currency before it.
const NUMBER_TEXT = /^(?:RM|MYR)?\s*(-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?)$/i;
const NUMBER_CHARACTERS_MAX = 40;

/** `"12.50"`: write 12.5. */
export function unquotedHint(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > NUMBER_CHARACTERS_MAX) return NUMBER_EXAMPLE;
  const [, digits] = NUMBER_TEXT.exec(value.trim()) ?? [];
  if (digits === undefined) return NUMBER_EXAMPLE;
  return `write ${plainNumber(Number(digits.replaceAll(',', '')))}, without quotation marks`;
}

/** 40000: write "40000". */
export function quotedHint(value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return `write "${plainNumber(value)}", with quotation marks`;
}

export function shortenHint(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const surplus = countCharacters(value.trim()) - maxLength;
  return `shorten it by ${surplus} ${surplus === 1 ? 'character' : 'characters'}`;
}

/** Names the first character of the text that `isForbidden`. */
export function forbiddenCharacterHint(
  value: unknown,
  isForbidden: (character: string) => boolean,
): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  let position = 0;
  for (const character of text) {
    position += 1;
    if (!isForbidden(character)) continue;
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `remove character ${position}, U+${code}`;
  }
  return undefined;
}

export function roundedHint(value: unknown, decimals: number): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return `use ${formatPlain(round(toDecimal(value), decimals))}, rounded to ${decimals} decimals`;
}

export function preciseHint(value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return `use ${plainNumber(Number(value.toPrecision(SIGNIFICANT_DIGITS_MAX)))}`;
}

export function positiveHint(value: unknown): string | undefined {
  if (typeof value !== 'number' || value >= 0) return undefined;
  return `amounts are positive on credit notes too: ${plainNumber(-value)}`;
}

function plainNumber(value: number): string {
  return Number.isFinite(value) ? formatPlain(toDecimal(value)) : String(value);
}
