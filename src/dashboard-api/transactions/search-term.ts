import { validate as isUuid } from 'uuid';

/** What the text in the search box may mean; a document fits when one of these does. */
export interface SearchTerm {
  /** Numbers and TINs that begin so, in the form of document.number_key. */
  readonly prefix: string | null;
  /** Each begins a word of the buyer's name; in capital letters. */
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
// As many characters of a word as are kept.
const WORD_CHARACTERS_MAX = 50;

const NOTHING: SearchTerm = { prefix: null, words: [], sen: null, authorityUuids: [], id: null };

const AUTHORITY_UUID = /^[\dA-Za-z]{26}$/;
const AMOUNT = String.raw`\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,2})?|\d{1,13}(?:\.\d{1,2})?`;
const MONEY = new RegExp(
  `^(?<currency>RM|MYR)?\\s*(?<from>${AMOUNT})(?:\\s*(?:-|–|to)\\s*(?:RM|MYR)?\\s*(?<to>${AMOUNT}))?$`,
  'i',
);
// What stands between words, as where they are stored: all that ASCII has but letters and digits.
const BETWEEN_WORDS = /[ -/:-@[-`{-~]+/;

/**
 * Reads what was typed: `RM 1,234.56` and `RM 100 - 200` are amounts, 26 letters and digits a UUID of the authority, one of
 * ours is an id; anything else begins a number or a TIN, or words of a buyer's name, and digits may also be an amount.
 */
export function readTerm(typed: string): SearchTerm {
  const text = typed.trim();
  if (isUuid(text)) return { ...NOTHING, id: text.toLowerCase(), authorityUuids: [text] };
  const { currency, from, to } = MONEY.exec(text)?.groups ?? {};
  const sen = from === undefined ? null : { from: toSen(from), to: toSen(to ?? from) };
  if (currency !== undefined) return { ...NOTHING, sen };
  const prefix = capitalise(/^[\x20-\x7E]*$/.test(text) ? text : text.normalize('NFKD'));
  const authorityUuids = AUTHORITY_UUID.test(text) ? [text.toUpperCase()] : [];
  return { ...NOTHING, prefix, words: readWords(text), sen: to === undefined ? sen : null, authorityUuids };
}

function readWords(text: string): string[] {
  const words = capitalise(text)
    .split(BETWEEN_WORDS)
    .filter((word) => word !== '');
  return words.slice(0, WORDS_MAX).map((word) => Array.from(word).slice(0, WORD_CHARACTERS_MAX).join(''));
}

function toSen(amount: string): number {
  return Math.round(Number(amount.replaceAll(',', '')) * 100);
}

/** As upper() in the collation C: the same on every server. */
function capitalise(text: string): string {
  return text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
}
