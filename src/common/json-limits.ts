/** The deepest member of the interface lies at level 5 (body, documents, document, lineItems, line); the rest is room. */
export const JSON_DEPTH_MAX = 20;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * Whether arrays and objects are nested deeper than JSON_DEPTH_MAX. Asked before the text is parsed: the parser takes
 * seven seconds for 10 MB of brackets, in which nobody else is served. What is not JSON may pass; the parser refuses it.
 */
export function isNestedTooDeep(json: Buffer): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at);
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    if (depth > JSON_DEPTH_MAX) return true;
  }
  return false;
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
