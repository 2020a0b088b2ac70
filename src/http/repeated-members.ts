import { toCanonicalJson } from '../common/canonical-json.js';
import { parseJsonText, resolveEscapes } from '../common/parse-json-text.js';
import type { Problem } from '../errors/problem.js';

// Of several members of one name JSON.parse keeps the last, and says nothing of the others
// (docs/rules.md#unknown-and-repeated-fields).

/**
 * Identifier of a member that was sent more than once with the same value, as a warning or as an error
 * (docs/rules.md#unknown-and-repeated-fields).
 */
export const MEMBER_REPEATED = 'member_repeated';

/** Identifier of a member that was sent more than once with different values, which is always an error. */
export const REPEATED_MEMBER = 'repeated_member';

export interface RepeatedMember {
  /** JSON Pointer to the member, or to an object around it if a pointer to the member could have any length. */
  readonly pointer: string;
  readonly isWithin: boolean;
  readonly isSame: boolean;
}

/** Of each kind, members with the same value and members with different values, no more are named. */
export const REPEATED_MAX = 500;

// The body, its documents, one of them, its lines, one of them. A pointer to what lies deeper, or under a longer name
// than any of the interface, could have any length.
const LEVELS_MAX = 5;
const NAME_CHARACTERS_MAX = 100;

// Longer values are the same only if their texts are.
const COMPARED_CHARACTERS_MAX = 1_000;

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

/** Where the value of a member stands in the text, without what separates it from its name. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** An object or array that has begun and not ended. */
interface Open {
  /** JSON Pointer to it, or to the nearest object around it that has one. */
  readonly pointer: string;
  readonly hasPointer: boolean;
  /** The first value of each name so far; null for an array. */
  readonly values: Map<string, Span> | null;
  /** The member that is being read; null before its name. */
  name: string | null;
  valueStart: number;
  index: number;
}

/**
 * The members that an object holds more than once, each once, REPEATED_MAX of each kind at most.
 * @param json what was parsed without an error
 */
export function findRepeatedMembers(json: string): RepeatedMember[] {
  const search: Search = { json, same: new Map(), different: new Map() };
  const open: Open[] = [];
  for (let at = 0; at < json.length && search.different.size < REPEATED_MAX; at += 1) {
    const character = json[at];
    if (character === '"') at = readText(json, at, open.at(-1));
    else if (character === '{' || character === '[') open.push(openIn(open, character === '['));
    else if (ENDS.has(character)) endMember(open, at, search);
  }
  return [...search.different.values(), ...search.same.values()];
}

const ENDS: ReadonlySet<string> = new Set([',', '}', ']']);

/** Reads a text, which may be the name of a member, and returns where it ends. */
function readText(json: string, start: number, current: Open | undefined): number {
  const end = findTextEnd(json, start);
  if (current?.values && current.name === null) {
    current.name = resolveEscapes(json.slice(start + 1, end));
    current.valueStart = json.indexOf(':', end) + 1;
  }
  return end;
}

function findTextEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (json[before] === '\\') before -= 1;
    // After an even number of backslashes the quote is not escaped.
    if ((end - before) % 2 === 1) return end;
  }
}

function openIn(open: readonly Open[], isArray: boolean): Open {
  const parent = open.at(-1);
  const start = { values: isArray ? null : new Map<string, Span>(), name: null, valueStart: 0, index: 0 };
  if (parent === undefined) return { pointer: '', hasPointer: true, ...start };
  const token = parent.hasPointer && open.length < LEVELS_MAX ? tokenOf(parent) : null;
  return { pointer: `${parent.pointer}${token ?? ''}`, hasPointer: token !== null, ...start };
}

/** The part of a pointer for what is being read; null for a name that is too long. */
function tokenOf({ values, name, index }: Open): string | null {
  if (values === null) return `/${index}`;
  if (name === null || name.length > NAME_CHARACTERS_MAX) return null;
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** By pointer. A pointer to an object may stand for several members within it. */
interface Search {
  readonly json: string;
  readonly same: Map<string, RepeatedMember>;
  readonly different: Map<string, RepeatedMember>;
}

/** Ends the member or item that is being read, and at its end the object or array around it. */
function endMember(open: Open[], end: number, search: Search): void {
  const current = search.json[end] === ',' ? open.at(-1) : open.pop();
  if (current === undefined) return;
  current.index += 1;
  const { values, name } = current;
  if (values === null || name === null) return;
  const value = { start: current.valueStart, end };
  const first = values.get(name);
  if (first === undefined) values.set(name, value);
  else addRepeated(current, isSameValue(search.json, first, value), search);
  current.name = null;
}

function addRepeated(current: Open, isSame: boolean, { same, different }: Search): void {
  const token = current.hasPointer ? tokenOf(current) : null;
  const pointer = `${current.pointer}${token ?? ''}`;
  if (different.has(pointer)) return;
  if (!isSame) same.delete(pointer);
  else if (same.size >= REPEATED_MAX) return;
  (isSame ? same : different).set(pointer, { pointer, isWithin: token === null, isSame });
}

function isSameValue(json: string, one: Span, other: Span): boolean {
  const [text, otherText] = [one, other].map(({ start, end }) => json.slice(start, end).trim());
  if (text === otherText) return true;
  if (Math.max(text.length, otherText.length) > COMPARED_CHARACTERS_MAX) return false;
  return toCanonicalJson(parseJsonText(text)) === toCanonicalJson(parseJsonText(otherText));
}

export function buildRepeatedProblem({ pointer, isWithin, isSame }: RepeatedMember): Problem {
  const repeated = isWithin ? 'has a field that is sent more than once' : 'is sent more than once';
  return isSame
    ? { pointer, rule: MEMBER_REPEATED, message: `${repeated} with the same value`, hint: 'send it once' }
    : {
        pointer,
        rule: REPEATED_MEMBER,
        message: `${repeated} with different values`,
        hint: 'send it once, with the value that is meant',
      };
}
