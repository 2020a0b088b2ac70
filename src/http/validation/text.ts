// UTF-8 cannot encode a lone surrogate, and PostgreSQL cannot store NUL. A direction override would display RM 100 as
// RM 001.
const CONTROL = /[\p{Cc}\p{Cs}\u202D\u202E]/u;
const CONTROL_BUT_LINES = /[^\P{Cc}\t\n\r]|[\p{Cs}\u202D\u202E]/u;

const PAIRS = /[\u{10000}-\u{10FFFF}]/gu;

export type TextLayout = 'line' | 'paragraph';

export function hasForbiddenCharacters(text: string, layout: TextLayout): boolean {
  return layout === 'line' ? CONTROL.test(text) : CONTROL_BUT_LINES.test(text);
}

const SEEN = /[^\s\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

export function hasVisible(text: string): boolean {
  return SEEN.test(text);
}

/** Counts code points, like JSON Schema and PostgreSQL. */
export function countCharacters(text: string): number {
  return text.length - (text.match(PAIRS)?.length ?? 0);
}

export function isAtMost(text: string, max: number): boolean {
  // A code point has one or two UTF-16 code units.
  if (text.length <= max) return true;
  if (text.length > max * 2) return false;
  return countCharacters(text) <= max;
}

// Zero-width characters, direction marks, soft hyphens, variation selectors, fillers, and line and
// paragraph separators.
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/u;
const ALL_INVISIBLE = new RegExp(INVISIBLE.source, 'gu');

export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text);
}

/** Returns whether every character is visible or white space. */
export function isPrintable(text: string): boolean {
  return !/\p{C}/u.test(text) && !hasInvisible(text);
}

export function removeInvisible(text: string): string {
  return text.replace(ALL_INVISIBLE, '');
}
