import { validate as isUuid } from 'uuid';
import { toSen } from '../../documents/rounding.js';
import { splitWords, toSearchKey } from '../../documents/search-key.js';

/** What the text in the search box may mean; a document fits when one of these does. */
export interface SearchTerm {
  /** Numbers and TINs that begin so, in the form of document.number_key. */
  readonly prefix: string | null;
  /** Each begins a word of the buyer's name, as search keys. */
  readonly words: readonly string[];
  /** The amount payable in sen, both bounds included. */
  readonly sen: { readonly from: number; readonly to: number } | null;
  /** The authority's id of a document, as it may be written. */
  readonly authorityUuids: readonly string[];
  /** Our id of a document, an attempt or a batch. */
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
// A currency and figures, and yet no amount: RM -5, RM 1,23, RM 100 -, 1.234,56 RM. What may begin a number is none: RM-5.
const FIGURES = /^(?=.*\d)(?=.*[\s.,+~])(?=RM|MYR|.*(?:RM|MYR)$)(?:[-+.,~\d\s]|TO|RM|MYR)+$/;
// What looks like one and may begin a number: RM2024.001, RM2024-001.
const NUMBER_WITH_CURRENCY = /^(?:RM|MYR)\d[-.\d]*$/;
// Between digits these are a range, where a hyphen is a part of a number.
const RANGE_SIGN = /[–—~～]/;

/** Whether the text begins as an amount and is none: it would find nothing, and not say why. */
export function isUnreadableAmount(typed: string): boolean {
  const text = toSearchKey(typed).trim();
  return FIGURES.test(text) && !MONEY.test(text) && !NUMBER_WITH_CURRENCY.test(text);
}

/**
 * Reads what was typed: `RM 1,234.56` and `RM 100 - 200` are amounts, 26 letters and digits a UUID of the authority, one of
 * ours is an id; anything else begins a number or a TIN, or words of a buyer's name. Digits may also be an amount, with or
 * without the currency behind, and two of them with spaces around a dash, or with a long dash, a range; the bounds of a range
 * come in any order. `RM2024` may be an amount and begin a number; `RM2024-001` and `RM0001` are no amounts.
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

/** Whether figures that may begin a number are amounts as well. */
function isAmount({ from, between, to }: Money, { typed, text }: { typed: string; text: string }): boolean {
  if (NUMBER_WITH_CURRENCY.test(text) && PADDED.test(from)) return false;
  if (to === undefined || SPACED.test(between ?? '')) return true;
  // 2026-001 is a number, whichever dash it is copied with.
  return (/RM|MYR/.test(text) || RANGE_SIGN.test(typed)) && !PADDED.test(to);
}

function readSen({ from, to = from }: Money): SearchTerm['sen'] {
  const [one, other] = [from, to].map((amount) => toSen(Number(amount.replaceAll(/[, ]/g, ''))));
  return { from: Math.min(one, other), to: Math.max(one, other) };
}
