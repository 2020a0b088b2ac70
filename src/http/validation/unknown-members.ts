import type { Problem } from '../../errors/problem.js';
import { didYouMean, type Suggest, createSuggester } from '../../common/nearest.js';
import { type JsonObject, type Shape, isJsonObject } from './shape.js';

/** Rule for an unknown member: a warning, or an error in strict mode (docs/rules.md#unknown-and-repeated-fields). */
export const MEMBER_UNKNOWN = 'member_unknown';

// Longer names are omitted from the response, which is stored under the idempotency-key.
export const MEMBER_NAME_CHARACTERS_MAX = 100;

const LEAVE_OUT = 'leave it out';

export interface UndeclaredMember {
  readonly ownerPointer: string;
  readonly name: string;
  readonly value: unknown;
  readonly shape: Shape;
}

/** Calls `found` for every undeclared member of the object and its nested objects. Does not search skipped members. */
export function findUnknownMembers(
  shape: Shape,
  owner: JsonObject,
  pointer: string,
  found: (unknown: UndeclaredMember) => void,
): void {
  for (const name of Object.keys(owner)) {
    if (!shape.members.has(name)) found({ ownerPointer: pointer, name, value: owner[name], shape });
  }
  for (const { name, nested } of shape.fields) {
    if (nested === null || !Object.hasOwn(owner, name)) continue;
    const value = owner[name];
    if (nested.isList) findInItems(nested.shape, value, `${pointer}/${name}`, found);
    else if (isJsonObject(value)) findUnknownMembers(nested.shape, value, `${pointer}/${name}`, found);
  }
}

function findInItems(shape: Shape, list: unknown, pointer: string, found: (unknown: UndeclaredMember) => void): void {
  if (!Array.isArray(list)) return;
  for (const [index, item] of list.entries()) {
    if (isJsonObject(item)) findUnknownMembers(shape, item, `${pointer}/${index}`, found);
  }
}

/** @param suggest finds the intended name; defaults to the declared members */
export function buildUnknownProblem(
  member: UndeclaredMember,
  isIgnored: boolean,
  suggest: Suggest = createMemberSuggester(member.shape),
): Problem {
  const { ownerPointer, name } = member;
  const ignored = isIgnored ? ' and was ignored' : '';
  const unlessIgnored = isIgnored ? {} : { hint: LEAVE_OUT };
  if (name.length > MEMBER_NAME_CHARACTERS_MAX) {
    const message = `has a field with a name of ${name.length} characters, which is not known${ignored}`;
    return { pointer: ownerPointer, rule: MEMBER_UNKNOWN, message, ...unlessIgnored };
  }
  const hint = didYouMean(suggest(name));
  const message = `is not a known field${ignored}`;
  const problem = { pointer: buildMemberPointer(member), rule: MEMBER_UNKNOWN, message };
  return hint === undefined ? { ...problem, ...unlessIgnored } : { ...problem, hint };
}

export function buildMemberPointer({ ownerPointer, name }: UndeclaredMember): string {
  return `${ownerPointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

export function toPartOfRefusal(warning: Problem): Problem {
  return { hint: LEAVE_OUT, ...warning };
}

function createMemberSuggester(shape: Shape): Suggest {
  return createSuggester(
    [...shape.members].map((member) => [member, member]),
    { isForgiving: true },
  );
}
