import { isUtf8 } from 'node:buffer';
import { EscapedNamesError, parseJsonText } from '../common/parse-json-text.js';
import { measureJson } from './json-limits.js';
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
