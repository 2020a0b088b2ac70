import { resolveEscapes } from './parse-json.js';

/** One member of an object, by its place in the text. */
export interface MemberPosition {
  name: string;
  start: number;
  valueStart: number;
  end: number;
}

/** The text without what stands between its tokens. It must be JSON, as everything that is read here. */
export function minified(json: string): string {
  let text = '';
  for (let place = 0; place < json.length;) {
    const end = findTokenEnd(json, place);
    if (!/^[ \t\r\n]$/.test(json.slice(place, end))) text += json.slice(place, end);
    place = end;
  }
  return text;
}

/** The members of the object that starts at `start`; none when something else does. */
export function membersAt(text: string, start: number): MemberPosition[] {
  const members: MemberPosition[] = [];
  let place = start + 1;
  while (text[start] === '{' && text[place] === '"') {
    const valueStart = findStringEnd(text, place) + 1;
    const end = findValueEnd(text, valueStart);
    members.push({ name: resolveEscapes(text.slice(place + 1, valueStart - 2)), start: place, valueStart, end });
    place = text[end] === ',' ? end + 1 : end;
  }
  return members;
}

/** Where the value ends that starts at `start`. */
export function findValueEnd(text: string, start: number): number {
  let depth = 0;
  for (let place = start; place < text.length; place = findTokenEnd(text, place)) {
    const character = text.charAt(place);
    if (depth === 0 && ',]}'.includes(character)) return place;
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
  let place = start + 1;
  while (place < text.length && text[place] !== '"') place += text[place] === '\\' ? 2 : 1;
  return place + 1;
}
