import { resolveEscapes } from './parse-json.js';

/** Position of an object member in the text. */
export interface MemberPosition {
  name: string;
  start: number;
  valueStart: number;
  end: number;
}

/** Removes the whitespace between tokens. The text must be valid JSON. */
export function minified(json: string): string {
  let text = '';
  for (let index = 0; index < json.length;) {
    const end = findTokenEnd(json, index);
    if (!/^[ \t\r\n]$/.test(json.slice(index, end))) text += json.slice(index, end);
    index = end;
  }
  return text;
}

/** Returns the members of the object at `start`, or an empty list if the value is not an object. */
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

/** Returns the end position of the value that starts at `start`. */
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

/** Treats a string as one token and any other character as a separate token. */
function findTokenEnd(text: string, start: number): number {
  return text[start] === '"' ? findStringEnd(text, start) : start + 1;
}

function findStringEnd(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index + 1;
}
