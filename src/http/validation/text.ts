// A lone surrogate cannot be written as UTF-8, and PostgreSQL's text cannot hold NUL: both are refused in every text.
// An override of the direction lets a text be read otherwise than it is stored: RM 001 for RM 100.
const CONTROL = /[\p{Cc}\p{Cs}\u202D\u202E]/u;
// Addresses and descriptions may be written over several lines.
const CONTROL_BUT_LINES = /[^\P{Cc}\t\n\r]|[\p{Cs}\u202D\u202E]/u;

// Characters outside the basic plane are two UTF-16 units.
const PAIRS = /[\u{10000}-\u{10FFFF}]/gu;

/** Which control characters a text may hold: none in a single line, tabs and line breaks in a paragraph. */
export type TextLayout = 'line' | 'paragraph';

export function hasForbiddenCharacters(text: string, layout: TextLayout): boolean {
  return layout === 'line' ? CONTROL.test(text) : CONTROL_BUT_LINES.test(text);
}

const SEEN = /[^\s\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Returns whether a text has a visible character. */
export function hasVisible(text: string): boolean {
  return SEEN.test(text);
}

/** Counts the characters (code points) of a text, as JSON Schema and PostgreSQL do. */
export function countCharacters(text: string): number {
  return text.length - (text.match(PAIRS)?.length ?? 0);
}

/** Returns whether a text has at most `max` characters (code points). */
export function isAtMost(text: string, max: number): boolean {
  // UTF-16 units are never fewer than characters and at most twice as many.
  if (text.length <= max) return true;
  if (text.length > max * 2) return false;
  return countCharacters(text) <= max;
}
