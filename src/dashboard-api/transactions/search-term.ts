import { validate as isUuid } from 'uuid';
import { toSen } from '../../common/decimal.js';
import { splitWords, toSearchKey } from '../../documents/search-key.js';

/** Possible meanings of a search term. A document matches if one of them matches. */
export interface SearchTerm {
  /** Beginning of a number or TIN, normalised like document.number_key. */
  readonly prefix: string | null;
  /** Beginnings of words of the buyer's name, normalised. */
  readonly words: readonly string[];
  /** Inclusive range of the payable amount in sen. */
  readonly sen: { readonly from: number; readonly to: number } | null;
  /** Spellings of a UUID of the authority. */
  readonly authorityUuids: readonly string[];
  /** Id of a document, attempt or batch. */
  readonly id: string | null;
}

export const TERM_CHARACTERS_MAX = 100;
const WORDS_MAX = 8;

const NOTHING: SearchTerm = { prefix: null, words: [], sen: null, authorityUuids: [], id: null };

const AUTHORITY_UUID = /^[\dA-Z]{26}$/;
const AMOUNT = String.raw`\d{1,3}(?:[, ]\d{3}){1,4}(?:\.\d{1,2})?|\d{1,13}(?:\.\d{1,2})?`;
const CURRENCY = '(?:RM|MYR)';
const MONEY = new RegExp(
  String.raw`^(?<currency>${CURRENCY}\s*)?(?<from>${AMOUNT})(?:\s*${CURRENCY})?` +
    String.raw`(?:(?<between>\s*(?:-|~|TO)\s*)(?:${CURRENCY}\s*)?(?<to>${AMOUNT})(?:\s*${CURRENCY})?)?$`,
);
// Matches a currency with malformed figures, such as `RM -5`, `RM 1,23` or `1.234,56 RM`. Does not match `RM-5`, which
// may be the beginning of a number.
const FIGURES = /^(?=.*\d)(?=.*[\s.,+~])(?=RM|MYR|.*(?:RM|MYR)$)(?:[-+.,~\d\s]|TO|RM|MYR)+$/;
// Matches numbers that look like an amount, such as RM2024.001 or RM2024-001.
const NUMBER_WITH_CURRENCY = /^(?:RM|MYR)\d[-.\d]*$/;
// Between digits, these characters denote a range. A hyphen may be part of a number.
const RANGE_SIGN = /[–—~～]/;

/**
 * Returns whether the term is a malformed amount. A search for it would return no documents without an explanation.
 */
export function isUnreadableAmount(typed: string): boolean {
  const text = toSearchKey(typed).trim();
  return FIGURES.test(text) && !MONEY.test(text) && !NUMBER_WITH_CURRENCY.test(text);
}

/**
 * Reads a search text:
 * - `RM 1,234.56` and `RM 100 - 200` are an amount and a range of amounts, in any order.
 * - A UUID is an id; 26 letters and digits are a UUID of the authority.
 * - Any other text is the beginning of a number, TIN or words of the buyer's name.
 * - Digits may also be an amount, and two numbers with a spaced or long dash a range. `RM2024` may be both an amount
 *   and a number; `RM2024-001` and `RM0001` are not amounts.
 */
export function readTerm(typed: string): SearchTerm {
  const text = toSearchKey(typed).trim();
  if (isUuid(text)) return { ...NOTHING, id: text.toLowerCase(), authorityUuids: [typed.trim()] };
  const money = MONEY.exec(text)?.groups as Money | undefined;
  if (money?.currency !== undefined && !NUMBER_WITH_CURRENCY.test(text)) return { ...NOTHING, sen: readSen(money) };
  return {
    ...NOTHING,
    prefix: text,
    words: splitWords(text).slice(0, WORDS_MAX),
    sen: money !== undefined && isAmount(money, { typed, text }) ? readSen(money) : null,
    authorityUuids: AUTHORITY_UUID.test(text) ? [text] : [],
  };
}

interface Money {
  readonly currency?: string;
  readonly from: string;
  readonly between?: string;
  readonly to?: string;
}

const PADDED = /^0\d/;
const SPACED = /^\s+\S+\s+$/;

/** Returns whether digits that may be a document number may also be an amount. */
function isAmount({ from, between, to }: Money, { typed, text }: { typed: string; text: string }): boolean {
  if (NUMBER_WITH_CURRENCY.test(text) && PADDED.test(from)) return false;
  if (to === undefined || SPACED.test(between ?? '')) return true;
  // `2026-001` is a number, even with a different dash.
  return (/RM|MYR/.test(text) || RANGE_SIGN.test(typed)) && !PADDED.test(to);
}

function readSen({ from, to = from }: Money): SearchTerm['sen'] {
  const [one, other] = [from, to].map((amount) => toSen(Number(amount.replaceAll(/[, ]/g, ''))));
  return { from: Math.min(one, other), to: Math.max(one, other) };
}
