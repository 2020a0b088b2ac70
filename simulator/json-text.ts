import { resolveEscapes } from './parse-json.js';

/** One member of an object, by its position in the text. */
export interface MemberPosition {
  name: string;
  start: number;
  valueStart: number;
  end: number;
}

/** The text without what stands between its tokens. It must be JSON, as everything that is read here. */
export function minified(json: string): string {
  let text = '';
  for (let index = 0; index < json.length;) {
    const end = findTokenEnd(json, index);
    if (!/^[ \t\r\n]$/.test(json.slice(index, end))) text += json.slice(index, end);
    index = end;
  }
  return text;
}

/** The members of the object that starts at `start`; none when something else does. */
export function membersAt(text: string, start: number): MemberPosition[] {
  const members: MemberPosition[] = [];
  let index = start + 1;
  while (text[start] === '{' && text[index] === '"') {
    const valueStart = findStringEnd(text, index) + 1;
    const end = findValueEnd(text, valueStart);
    members.push({ name: resolveEscapes(text.slice(index + 1, valueStart - 2)), start: index, valueStart, end });
    index = text[end] === ',' ? end + 1 : end;
  }
  return members;
}

/** Where the value ends that starts at `start`. */
export function findValueEnd(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; index = findTokenEnd(text, index)) {
    const character = text.charAt(index);
    if (depth === 0 && ',]}'.includes(character)) return index;
    if ('[{'.includes(character)) depth += 1;
    if (']}'.includes(character)) depth -= 1;
  }
  return text.length;
}

/** A string is one token, for the rest every character is. */
function findTokenEnd(text: string, start: number): number {
  return text[start] === '"' ? findStringEnd(text, start) : start + 1;
}

function findStringEnd(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index + 1;
}
