// Zero-width characters, direction marks, soft hyphens, variation selectors, fillers, and line and paragraph
// separators.
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
