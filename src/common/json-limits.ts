import { randomInt } from 'node:crypto';

// What a body may be made of, beside its length. Asked before the text is parsed, because the time and the memory of the
// parser depend on more than the length: 10 MB of brackets take it seven seconds, 10 MB of empty arrays or of objects
// with ever other members two to four, in which nobody else is served.

/** The deepest member of the interface lies at level 5 (body, documents, document, lineItems, line); the rest is room. */
export const JSON_DEPTH_MAX = 20;

/**
 * Values of a body: its arrays and objects, and what is in them. A body that keeps D4 has 100 documents at most, of 454
 * lines at most, since a line takes at least 654 bytes of the 300,000 of a built document. A line is 11 values with its
 * 10 members, the rest of a document 34: 503,000 values, and room.
 */
export const JSON_VALUES_MAX = 524_288;

/**
 * Different lists of names with which the objects of a body begin: `{"a":1,"b":1}` and `{"a":1,"c":1}` begin with a, with
 * a and b, and with a and c, which is three. The parser works out each of them anew. The objects of the interface have
 * some ten optional members, so that a client which leaves them out at random comes to some thousand.
 */
export const JSON_BEGINNINGS_MAX = 16_384;

const grouped = (count: number): string => count.toLocaleString('en');
const TOO_DEEP = `The body must not be nested deeper than ${JSON_DEPTH_MAX} levels`;
const TOO_MANY_VALUES = `The body must not hold more than ${grouped(JSON_VALUES_MAX)} values`;
const TOO_MANY_BEGINNINGS =
  `The objects of the body must not begin with more than ${grouped(JSON_BEGINNINGS_MAX)} different lists of fields; ` +
  'send the fields of one kind of object in one order';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What a byte outside of strings means; 0 for nothing. */
const KIND = { quote: 1, comma: 2, openArray: 3, openObject: 4, close: 5 } as const;
const KIND_BY_BYTE = new Uint8Array(256);
for (const [characters, kind] of [
  ['"', KIND.quote],
  [',', KIND.comma],
  ['[', KIND.openArray],
  ['{', KIND.openObject],
  [']}', KIND.close],
] as const) {
  for (const character of characters) KIND_BY_BYTE[character.charCodeAt(0)] = kind;
}

/**
 * Which limit a JSON text breaks, as a sentence for the caller; null for none. One pass over the bytes, some 100 ms for
 * 10 MB. What is not JSON may pass; the parser refuses it.
 */
export function brokenLimitOf(json: Buffer): string | null {
  const open = new OpenObjects();
  // The first of an array or object follows its bracket and every other a comma; the body itself follows nothing.
  let values = 1;
  for (let at = 0; at < json.length; at += 1) {
    const kind = KIND_BY_BYTE[json[at]];
    if (kind === 0) continue;
    if (kind === KIND.quote) {
      const end = endOfString(json, at);
      if (open.isNameNext) open.name(json, at, end);
      at = end;
    } else if (kind === KIND.close) open.close();
    else {
      values += 1;
      if (kind === KIND.comma) open.next();
      else open.enter(kind === KIND.openObject);
    }
    if (open.depth > JSON_DEPTH_MAX) return TOO_DEEP;
    if (values > JSON_VALUES_MAX) return TOO_MANY_VALUES;
    if (open.beginnings > JSON_BEGINNINGS_MAX) return TOO_MANY_BEGINNINGS;
  }
  return null;
}

// Eight places for each that may be counted: two that share one count as one.
const PLACES = 8 * JSON_BEGINNINGS_MAX;
/** The text that last came by a place. One array for all texts, so that a small one need not clear it. */
const textAtPlace = new Uint32Array(PLACES);
let text = 0;

// Unknown outside, so that nobody can look for names that share a place.
const SEED = randomInt(2 ** 32);
const FNV_PRIME = 0x01000193;
const SHIFT = 15;

/** The arrays and objects around the place that was read, and the beginnings of all objects so far. */
class OpenObjects {
  depth = 0;
  beginnings = 0;
  isNameNext = false;
  private readonly isObject = new Uint8Array(JSON_DEPTH_MAX + 2);
  /** Hash of the names so far, of the object at each depth. */
  private readonly names = new Uint32Array(JSON_DEPTH_MAX + 2);

  constructor() {
    text = (text + 1) >>> 0;
  }

  enter(isObject: boolean): void {
    this.depth += 1;
    this.isObject[this.depth] = isObject ? 1 : 0;
    this.names[this.depth] = SEED;
    this.isNameNext = isObject;
  }

  next(): void {
    this.isNameNext = this.isObject[this.depth] === 1;
  }

  close(): void {
    // What closes more than it opened is not JSON.
    if (this.depth > 0) this.depth -= 1;
    this.isNameNext = false;
  }

  /** The name between two quotes. */
  name(json: Buffer, start: number, end: number): void {
    this.isNameNext = false;
    let hash = this.names[this.depth];
    // With one of the quotes, else a and bc would be ab and c.
    for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ json[at], FNV_PRIME);
    this.names[this.depth] = hash;
    const place = ((hash ^ (hash >>> SHIFT)) >>> 0) % PLACES;
    if (textAtPlace[place] === text) return;
    textAtPlace[place] = text;
    this.beginnings += 1;
  }
}

/** Where the string that begins at `start` ends. */
function endOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf(QUOTE, start + 1); end !== -1; end = json.indexOf(QUOTE, end + 1)) {
    let before = end - 1;
    while (json[before] === BACKSLASH) before -= 1;
    // After an even number of backslashes the quote is not escaped.
    if ((end - before) % 2 === 1) return end;
  }
  return json.length;
}
