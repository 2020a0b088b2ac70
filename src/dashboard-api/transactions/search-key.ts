const UNSEEN =
  // oxlint-disable-next-line no-misleading-character-class -- combining characters here are ends of ranges
  /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f\ufe00-\ufe0f\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+/g;
const FROM = Array.from('‐‑‒–—―−‘’‚‛“”„øØłŁđĐħĦŧŦıæœαβγδεζηθικλμνξοπρσςτυφχψωабвгдежзиклмнопрстуфхцчшщъыьэюяєіјљњђћџґ');
const TO = Array.from(`-------''''"""OOLLDDHHTTIÆŒΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΣΤΥΦΧΨΩАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЄІЈЉЊЂЋЏҐ`);
const PLAIN = new Map([...FROM.map((letter, index) => [letter, TO[index]] as const), ['ß', 'SS'] as const]);

/** A text as searches compare it, as the SQL function search_key: accents, case, width and what is not seen do not count. */
export function toSearchKey(text: string): string {
  const seen = text.normalize('NFKD').replaceAll(UNSEEN, '');
  const plain = Array.from(seen, (letter) => PLAIN.get(letter) ?? letter).join('');
  // As upper() in the collation C.
  return plain.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
}
