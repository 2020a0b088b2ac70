// What a body may be made of, apart from its length. Asked before the text is parsed, because the time and the memory
// of the parser depend on more than the length: 10 MB of brackets take it seven seconds, 10 MB of empty arrays two, in
// which nobody else is served.

/**
 * The deepest member of the interface lies at level 5 (body, documents, document, lineItems, line); the rest is room.
 */
export const JSON_DEPTH_MAX = 20;

/**
 * Values of a body: its arrays and objects, and what is in them. A body that keeps docs/rules.md#body-rules has 100
 * documents at most, of DOCUMENT_LINES_MAX lines (454) at most, as many as fit into a built document. A
 * line is 11 values with its 10 members, the rest of a document 34: 503,000 values, and room.
 */
export const JSON_VALUES_MAX = 524_288;

const grouped = (count: number): string => count.toLocaleString('en');
const TOO_DEEP = `The body must not be nested deeper than ${JSON_DEPTH_MAX} levels`;
const TOO_MANY_VALUES = `The body must not have more than ${grouped(JSON_VALUES_MAX)} values`;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What a byte outside of strings does to the depth; every value follows an opening bracket or a comma. */
const DEPTH_CHANGE = new Int8Array(256);
DEPTH_CHANGE[0x5b] = DEPTH_CHANGE[0x7b] = 1;
DEPTH_CHANGE[0x5d] = DEPTH_CHANGE[0x7d] = -1;
const COMMA = 0x2c;
const COLON = 0x3a;

export interface JsonMeasure {
  /** Which limit the text breaks, as a sentence for the caller; null for none. */
  readonly brokenLimit: string | null;
  /** Members of all its objects, one that is sent twice counted twice; up to where a limit was broken. */
  readonly memberCount: number;
}

/** Measures a JSON text in one pass over the bytes. What is not JSON may pass; the parser refuses it. */
export function measureJson(json: Buffer): JsonMeasure {
  let memberCount = 0;
  let depth = 0;
  // The body itself follows nothing.
  let values = 1;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = findStringEnd(json, at);
    else if (byte === COMMA) values += 1;
    else if (byte === COLON) memberCount += 1;
    else {
      const change = DEPTH_CHANGE[byte];
      depth += change;
      if (change > 0) values += 1;
    }
    if (depth > JSON_DEPTH_MAX) return { brokenLimit: TOO_DEEP, memberCount };
    if (values > JSON_VALUES_MAX) return { brokenLimit: TOO_MANY_VALUES, memberCount };
  }
  return { brokenLimit: null, memberCount };
}

/** Where the string that begins at `start` ends. */
function findStringEnd(json: Buffer, start: number): number {
  for (let end = json.indexOf(QUOTE, start + 1); end !== -1; end = json.indexOf(QUOTE, end + 1)) {
    let before = end - 1;
    while (json[before] === BACKSLASH) before -= 1;
    // After an even number of backslashes the quote is not escaped.
    if ((end - before) % 2 === 1) return end;
  }
  return json.length;
}
