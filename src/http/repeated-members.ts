import { toCanonicalJson } from '../common/canonical-json.js';
import { parseJsonText, resolveEscapes } from '../common/parse-json-text.js';
import type { Problem } from '../errors/problem.js';

// `JSON.parse` silently keeps the last of several members with the same name
// (docs/rules.md#unknown-and-repeated-fields).

/** Rule for a member that is repeated with the same value: a warning, or an error in strict mode. */
export const MEMBER_REPEATED = 'member_repeated';

/** Rule for a member that is repeated with different values: always an error. */
export const REPEATED_MEMBER = 'repeated_member';

export interface RepeatedMember {
  /** JSON Pointer to the member. If it would be too long, it points to an enclosing object and `isWithin` is true. */
  readonly pointer: string;
  readonly isWithin: boolean;
  readonly isSame: boolean;
}

export const REPEATED_MAX = 500;

// Truncates pointers that are deeper or longer than the interface needs, because clients could make them
// arbitrarily long.
const LEVELS_MAX = 5;
const NAME_CHARACTERS_MAX = 100;

const COMPARED_CHARACTERS_MAX = 1_000;

/** Counts the members of all objects in a parsed value. The caller must limit the depth. */
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

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Open {
  readonly pointer: string;
  readonly hasPointer: boolean;
  readonly values: Map<string, Span> | null;
  name: string | null;
  valueStart: number;
  index: number;
}

/**
 * Lists repeated members, at most REPEATED_MAX per rule.
 * @param json must be valid
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

/** Returns the next token of the pointer, or null if the name is too long. */
function tokenOf({ values, name, index }: Open): string | null {
  if (values === null) return `/${index}`;
  if (name === null || name.length > NAME_CHARACTERS_MAX) return null;
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

interface Search {
  readonly json: string;
  readonly same: Map<string, RepeatedMember>;
  readonly different: Map<string, RepeatedMember>;
}

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
  const repeated = isWithin ? 'has a repeated field' : 'is repeated';
  return isSame
    ? { pointer, rule: MEMBER_REPEATED, message: `${repeated} with the same value`, hint: 'send it once' }
    : {
        pointer,
        rule: REPEATED_MEMBER,
        message: `${repeated} with different values`,
        hint: 'send it once, with the intended value',
      };
}
