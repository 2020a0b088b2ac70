const UNSEEN = /[\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\uFFFC]/u;
// Combining marks that hide each other or overlap adjacent lines (UTS 39, section 5.4).
const HEAPED_MARKS = /(\p{Mn})\1|\p{Mn}{5}/u;
const WORD = /[\p{L}\p{M}]+/gu;

const SINGLE_SCRIPTS = (
  'Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada Khmer Lao ' +
  'Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan'
).split(' ');

/** Scripts that one word may combine (Unicode Technical Standard 39, "highly restrictive"). */
const WRITINGS = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
  ...SINGLE_SCRIPTS.map((script) => [script]),
].map((scripts) => {
  const members = [...scripts, 'Common', 'Inherited'].map((script) => `\\p{Script_Extensions=${script}}`);
  return new RegExp(`^[${members.join('')}]+$`, 'u');
});

/** Cyrillic and Greek letters that resemble the Latin letters at the same positions in LATIN. */
const TWINS = 'аАВеЕѕЅіІјЈКМНоОрРсСТуУхХһԁԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧοιν';
const LATIN = 'aABeEsSiIjJKMHoOpPcCTyYxXhdqwlABEZHIKMNOPTYXoiv';

export const LATIN_TWINS: ReadonlyMap<string, string> = new Map(Array.from(TWINS, (twin, at) => [twin, LATIN[at]]));

// A word of only these letters looks Latin, unless other words contain distinctive letters of the script.
const LATIN_LOOK = new RegExp(`^[${TWINS}]+$`, 'u');
const CYRILLIC_OR_GREEK = /[\p{Script=Cyrillic}\p{Script=Greek}]/gu;
const ASCII_TEXT = /^(?:[a-z\d]+|[.@])$/i;
const UNMISTAKABLE = /[\p{No}™℠№．]/u;

/** Describes the first misleading part of a name or address. Different words may use different scripts. */
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

/** Returns whether a character is a variant of an ASCII character, such as a full-width or circled letter. */
function isDisguised(character: string): boolean {
  return character > '\u007F' && ASCII_TEXT.test(toPlain(character)) && !UNMISTAKABLE.test(character);
}

function toPlain(character: string): string {
  return character.normalize('NFKC');
}

function formatCodePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
