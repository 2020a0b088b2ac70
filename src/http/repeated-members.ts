import { resolveEscapes } from '../common/parse-json-text.js';
import type { Problem } from '../errors/problem.js';

// Of several members of one name JSON.parse keeps the last, and says nothing of the others
// (docs/rules.md#unknown-and-repeated-fields).

/**
 * Identifier of what is said about a member that was sent more than once, as a warning or as an error
 * (docs/rules.md#unknown-and-repeated-fields).
 */
export const MEMBER_REPEATED = 'member_repeated';

/** More are not looked for. */
export const REPEATED_MAX = 500;

// The body, its documents, one of them, its lines, one of them. What lies deeper, or under a longer name than any of
// the interface, is in members that are not known, and a pointer to it could be of any length.
const LEVELS_MAX = 5;
const NAME_CHARACTERS_MAX = 100;

/** How many members the objects of a parsed JSON value have in all. Recursive: the caller bounds the depth. */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item);
    return count;
  }
  for (const member of Object.values(value)) count += 1 + countMembers(member);
  return count;
}

/** An object or array that has begun and not ended. */
interface Open {
  /** JSON Pointer to it; null for what is not looked into. */
  readonly pointer: string | null;
  /** The names so far; null for an array. */
  readonly names: Set<string> | null;
  /**
   * The member or item that is being read, as a token of a pointer; null before its name, and for one not looked at.
   */
  token: string | null;
  /** Whether a text that comes now is the name of a member. */
  isNameNext: boolean;
  index: number;
}

/**
 * JSON Pointers to the members that an object holds more than once, each once, REPEATED_MAX at most.
 * @param json what was parsed without an error
 */
export function findRepeatedMembers(json: string): string[] {
  const repeated = new Set<string>();
  const open: Open[] = [];
  for (const token of readTokens(json)) {
    if (repeated.size >= REPEATED_MAX) break;
    const current = open.at(-1);
    if (token === '{' || token === '[') open.push(openIn(current, open.length, token === '['));
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',') goOn(current);
    else if (current?.isNameNext === true) readName(current, resolveEscapes(token.slice(1, -1)), repeated);
  }
  return [...repeated];
}

const STRUCTURE: ReadonlySet<string> = new Set(['{', '}', '[', ']', ',']);

/** Texts in their quotation marks, and what begins, separates and ends members and items. */
function* readTokens(json: string): Generator<string> {
  for (let at = 0; at < json.length; at += 1) {
    if (json[at] === '"') {
      const end = findTextEnd(json, at);
      yield json.slice(at, end + 1);
      at = end;
    } else if (STRUCTURE.has(json[at])) yield json[at];
  }
}

function findTextEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (json[before] === '\\') before -= 1;
    // After an even number of backslashes the quote is not escaped.
    if ((end - before) % 2 === 1) return end;
  }
}

function openIn(parent: Open | undefined, level: number, isArray: boolean): Open {
  return {
    pointer: level < LEVELS_MAX ? pointerIn(parent) : null,
    names: isArray ? null : new Set(),
    token: isArray ? '0' : null,
    isNameNext: !isArray,
    index: 0,
  };
}

function pointerIn(parent: Open | undefined): string | null {
  if (parent === undefined) return '';
  return parent.pointer === null || parent.token === null ? null : `${parent.pointer}/${parent.token}`;
}

function goOn(current: Open | undefined): void {
  if (current === undefined) return;
  current.index += 1;
  current.isNameNext = current.names !== null;
  current.token = current.names === null ? String(current.index) : null;
}

function readName(current: Open, name: string, repeated: Set<string>): void {
  current.isNameNext = false;
  if (current.pointer === null || name.length > NAME_CHARACTERS_MAX) return;
  current.token = name.replaceAll('~', '~0').replaceAll('/', '~1');
  if (current.names?.has(name) === true) repeated.add(`${current.pointer}/${current.token}`);
  current.names?.add(name);
}

/**
 * What is said about a repeated member. @param isTaken whether the body is taken all the same, with the last of them
 */
export function buildRepeatedProblem(pointer: string, isTaken: boolean): Problem {
  const taken = isTaken ? ', and the last of them was taken' : '';
  return { pointer, rule: MEMBER_REPEATED, message: `is sent more than once${taken}`, hint: 'send it once' };
}
