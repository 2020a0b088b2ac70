const INVISIBLE =
  // oxlint-disable-next-line no-misleading-character-class -- combining characters here are ends of ranges
  /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f\ufe00-\ufe0f\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+/g;
const FROM = Array.from('‐‑‒–—―−‘’‚‛“”„ØŁĐĦŦ');
const TO = Array.from(`-------''''"""OLDHT`);
const PLAIN = new Map(FROM.map((letter, index) => [letter, TO[index]]));
const WORD_CHARACTERS_MAX = 50;
const NOT_ASCII = /[^\0-\x7f]/;
const BETWEEN_WORDS = /[ -/:-@[-`{-~]+/;

export function foldText(text: string): string {
  return text.normalize('NFKD').toUpperCase();
}

/** Returns the form of a text that searches compare. */
export function toSearchKey(text: string): string {
  // Most numbers and names are ASCII, and normalisation takes most of the time.
  if (!NOT_ASCII.test(text)) return text.toUpperCase();
  const folded = foldText(text);
  return Array.from(folded.replaceAll(INVISIBLE, ''), (letter) => PLAIN.get(letter) ?? letter).join('');
}

export function splitWords(key: string): string[] {
  return key
    .split(BETWEEN_WORDS)
    .filter((word) => word !== '')
    .map(cutWord);
}

function cutWord(word: string): string {
  return word.length <= WORD_CHARACTERS_MAX ? word : Array.from(word).slice(0, WORD_CHARACTERS_MAX).join('');
}
