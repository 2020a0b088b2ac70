import { isUtf8 } from 'node:buffer';
import { EscapedNamesError, parseJsonText } from '../common/parse-json-text.js';
import { type RepeatedMember, countMembers, findRepeatedMembers } from './repeated-members.js';

export type ParsedJson =
  | { readonly malformed: string }
  | {
      readonly value: unknown;
      readonly repeatedMembers: readonly RepeatedMember[] | undefined;
    };

/** Parses a body. Returns errors instead of throwing them, because exceptions lose their class between threads. */
export function parseJson(bytes: Buffer): ParsedJson {
  const { brokenLimit, memberCount } = measureJson(bytes);
  if (brokenLimit !== null) return { malformed: brokenLimit };
  const text = decodeUtf8(bytes);
  if (text === null) return { malformed: 'The body is not UTF-8 text' };
  if (text.trim() === '') return { malformed: 'The body is empty; it must be a JSON object' };
  try {
    const value: unknown = parseJsonText(text);
    // Searching for repeated members costs as much as parsing, so it runs only if members were lost.
    return { value, repeatedMembers: countMembers(value) < memberCount ? findRepeatedMembers(text) : undefined };
  } catch (error) {
    if (error instanceof EscapedNamesError) return { malformed: `The body ${error.message}` };
    // Omits the parser's message, because it may quote the body.
    const [position] = /position \d+(?: \(line \d+ column \d+\))?/.exec(String(error)) ?? [];
    return { malformed: `The body is not valid JSON${position === undefined ? '' : ` at ${position}`}` };
  }
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Returns null for malformed UTF-8. Three times as fast as `TextDecoder`, and also removes a byte order mark. */
function decodeUtf8(bytes: Buffer): string | null {
  if (!isUtf8(bytes)) return null;
  const isMarked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return bytes.toString('utf8', isMarked ? BYTE_ORDER_MARK.length : 0);
}

// These limits are checked before parsing, because parsing time and memory depend on more than the length. 10 MB of
// brackets would block the event loop for seven seconds, and 10 MB of empty arrays for two.

export const JSON_DEPTH_MAX = 20;

/** The largest valid body has 503,000 values: 100 documents of 454 lines with 11 values each, plus 34 other values. */
export const JSON_VALUES_MAX = 524_288;

const grouped = (count: number): string => count.toLocaleString('en');
const TOO_DEEP = `The body must not be nested deeper than ${JSON_DEPTH_MAX} levels`;
const TOO_MANY_VALUES = `The body must not have more than ${grouped(JSON_VALUES_MAX)} values`;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const DEPTH_CHANGE = new Int8Array(256);
DEPTH_CHANGE[0x5b] = DEPTH_CHANGE[0x7b] = 1;
DEPTH_CHANGE[0x5d] = DEPTH_CHANGE[0x7d] = -1;
const COMMA = 0x2c;
const COLON = 0x3a;

interface JsonMeasure {
  readonly brokenLimit: string | null;
  readonly memberCount: number;
}

/** Measures JSON in one pass over its bytes. Does not detect malformed JSON, which the parser rejects. */
export function measureJson(json: Buffer): JsonMeasure {
  let memberCount = 0;
  let depth = 0;
  // Every value except the outermost follows a bracket or a comma.
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

function findStringEnd(json: Buffer, start: number): number {
  for (let end = json.indexOf(QUOTE, start + 1); end !== -1; end = json.indexOf(QUOTE, end + 1)) {
    let before = end - 1;
    while (json[before] === BACKSLASH) before -= 1;
    // A quote after an even number of backslashes is not escaped.
    if ((end - before) % 2 === 1) return end;
  }
  return json.length;
}
