// Invisible characters, those that turn the direction of what follows, private ones, and ones that have no meaning yet.
const UNSEEN = /[\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\uFFFC]/u;
// Marks that hide each other, or cover the lines around them (the same standard, 5.4).
const HEAPED_MARKS = /(\p{Mn})\1|\p{Mn}{5}/u;
const WORD = /[\p{L}\p{M}]+/gu;

/**
 * The scripts that a word may be written in, each by itself but for those that one language mixes. A script that is not
 * here has no word of its own (Unicode Technical Standard 39, "highly restrictive").
 */
const WRITINGS = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
  ...[
    [
      'Arabic',
      'Armenian',
      'Bengali',
      'Cyrillic',
      'Devanagari',
      'Ethiopic',
      'Georgian',
      'Greek',
      'Gujarati',
      'Gurmukhi',
    ],
    ['Hebrew', 'Kannada', 'Khmer', 'Lao', 'Malayalam', 'Myanmar', 'Oriya', 'Sinhala', 'Tamil', 'Telugu', 'Thaana'],
    ['Thai', 'Tibetan'],
  ]
    .flat()
    .map((script) => [script]),
].map((scripts) => {
  const members = [...scripts, 'Common', 'Inherited'].map((script) => `\\p{Script_Extensions=${script}}`);
  return new RegExp(`^[${members.join('')}]+$`, 'u');
});

/** Cyrillic and Greek letters that look like Latin ones, in both cases, with the Latin letters at the same positions. */
const TWINS = 'аАВеЕѕЅіІјЈКМНоОрРсСТуУхХһԁԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧοιν';
const LATIN = 'aABeEsSiIjJKMHoOpPcCTyYxXhdqwlABEZHIKMNOPTYXoiv';

/** The Latin letter that each of them looks like. */
export const LATIN_TWINS: ReadonlyMap<string, string> = new Map(Array.from(TWINS, (twin, at) => [twin, LATIN[at]]));

// Words of these letters alone look as if they were Latin, unless another word shows that the alphabet is meant.
const LATIN_LOOK = new RegExp(`^[${TWINS}]+$`, 'u');
const CYRILLIC_OR_GREEK = /[\p{Script=Cyrillic}\p{Script=Greek}]/gu;
const ASCII_TEXT = /^(?:[a-z\d]+|[.@])$/i;
// Signs and numbers that nobody takes for the letters, and the full stop of Chinese texts.
const UNMISTAKABLE = /[\p{No}™℠№．]/u;

/**
 * What in a name or an address is not what it looks like; null when nothing is. Names in Malay, Chinese, Tamil and other
 * languages are fine, also next to each other.
 */
export function findLookAlike(text: string): string | null {
  const unseen = UNSEEN.exec(text)?.[0];
  if (unseen !== undefined) return `the invisible character ${formatCodePoint(unseen)}`;
  const [marks] = HEAPED_MARKS.exec(text.normalize('NFD')) ?? [];
  if (marks !== undefined) return `marks on marks (${formatCodePoint(marks)})`;
  const disguised = Array.from(text).find(isDisguised);
  if (disguised !== undefined)
    return `${disguised} (${formatCodePoint(disguised)}), which is not ${toPlain(disguised)}`;
  const isLatinLook = LATIN_LOOK.test((text.match(CYRILLIC_OR_GREEK) ?? []).join(''));
  const word = (text.normalize('NFC').match(WORD) ?? []).find(
    (each) => (isLatinLook && LATIN_LOOK.test(each)) || !WRITINGS.some((writing) => writing.test(each)),
  );
  return word === undefined ? null : `"${word}", whose letters look like those of another alphabet`;
}

/** Letters and digits that are full-width, mathematical, small, in circles or joined; full stops and at signs. */
function isDisguised(character: string): boolean {
  return character > '\u007F' && ASCII_TEXT.test(toPlain(character)) && !UNMISTAKABLE.test(character);
}

function toPlain(character: string): string {
  return character.normalize('NFKC');
}

function formatCodePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
