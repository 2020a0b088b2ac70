import { type CodeRow, INDUSTRIES } from './code-lists.js';
import { INDUSTRY_WORDS } from './industry-words.js';

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

/** A name that people have for a business, in words, and the codes that it may be. */
const names = INDUSTRY_WORDS.flatMap(([list, ...codes]) =>
  list.split(',').map((name) => ({ words: splitWords(name), codes })),
);

/**
 * The industries (MSIC) that digits begin the code of, or that words describe, the authority's or
 * people's own; best first, at most
 * {@link INDUSTRIES_FOUND_MAX}. A word also finds those that it begins or is a part of, and those in the plural. When
 * no description has all the words, those that have most of them.
 */
export function searchIndustries(query: string): readonly CodeRow[] {
  const text = query.slice(0, QUERY_CHARACTERS_MAX).trim();
  if (/^\d+$/.test(text)) return INDUSTRIES.filter(({ code }) => code.startsWith(text)).slice(0, INDUSTRIES_FOUND_MAX);
  const wanted = splitWords(text);
  const named = scoreNamed(wanted);
  return searched
    .map(({ row, words }) => ({ row, score: computeScore(wanted, words) + (named.get(row.code) ?? 0) }))
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

/** What the names of a business in the query lead to: more than descriptions with the same words, most likely first. */
function scoreNamed(wanted: readonly string[]): Map<string, number> {
  const scores = new Map<string, number>();
  for (const { words, codes } of names) {
    if (!words.every((word) => wanted.includes(word))) continue;
    for (const [rank, code] of codes.entries()) {
      scores.set(code, Math.max(scores.get(code) ?? 0, 30 * words.length - 3 * rank));
    }
  }
  return scores;
}

/** In small letters, without the s of the plural and without single letters. */
function splitWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .filter(({ length }) => length >= WORD_CHARACTERS_MIN)
    .map((word) => (word.length > 3 ? word.replace(/(?<!s)s$/, '') : word));
}
