import { type CodeRow, INDUSTRIES } from './code-lists.js';

/** The most that one search finds. */
export const INDUSTRIES_FOUND_MAX = 20;

// Work is bounded by what a person types; more says nothing more.
const QUERY_CHARACTERS_MAX = 60;
const WORD_CHARACTERS_MIN = 2;

interface SearchedIndustry {
  readonly row: CodeRow;
  readonly words: readonly string[];
}

const searched: readonly SearchedIndustry[] = INDUSTRIES.map((row) => ({ row, words: splitWords(row.description) }));

/**
 * The industries (MSIC) that digits begin the code of, or that words describe; best first, at most
 * {@link INDUSTRIES_FOUND_MAX}. A word also finds those that it begins or is a part of, and those in the plural. When
 * no description has all the words, those that have most of them.
 */
export function searchIndustries(query: string): readonly CodeRow[] {
  const text = query.slice(0, QUERY_CHARACTERS_MAX).trim();
  if (/^\d+$/.test(text)) return INDUSTRIES.filter(({ code }) => code.startsWith(text)).slice(0, INDUSTRIES_FOUND_MAX);
  const wanted = splitWords(text).filter((word) => word.length >= WORD_CHARACTERS_MIN);
  return searched
    .map(({ row, words }) => ({ row, score: computeScore(wanted, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.row.description.length - b.row.description.length)
    .slice(0, INDUSTRIES_FOUND_MAX)
    .map(({ row }) => row);
}

/** A whole word counts more than a beginning, that more than a part; one word more counts more than any of them. */
function computeScore(wanted: readonly string[], words: readonly string[]): number {
  let score = 0;
  for (const word of wanted) {
    if (words.includes(word)) score += 13;
    else if (words.some((other) => other.startsWith(word))) score += 12;
    else if (words.some((other) => other.includes(word))) score += 10;
  }
  return score;
}

/** In small letters, without the s of the plural. */
function splitWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => (word.length > 3 ? word.replace(/(?<!s)s$/, '') : word));
}
