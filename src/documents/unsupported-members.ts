import { isWithinOneEdit } from '../common/nearest.js';
import type { Problem } from '../errors/problem.js';
import { LATIN_TWINS } from '../validation/look-alikes.js';
import {
  MEMBER_NAME_CHARACTERS_MAX,
  type UndeclaredMember,
  buildMemberPointer,
} from '../validation/unknown-members.js';
import { loadUnsupportedMembers } from './code-lists.js';

// A program does not read warnings: it would lose a tax, a charge or a currency without noticing. So a member that would
// change the document is never ignored (docs/rules.md#unknown-and-repeated-fields).

/** Identifier of the rule. */
export const UNSUPPORTED_MEMBER = 'unsupported_member';

/** What a member is about, going by its name alone. */
export interface MemberMeaning {
  /** Set if the name is, or nearly is, that of one of our own members about money. */
  readonly ownMember?: string;
  /** What to send instead. */
  readonly instead: string;
  /** A value with which the document is the same as without the member, in addition to empty values and zero. */
  readonly neutral?: string | number;
}

/** Our own members about money, and what to do with one in an object that does not have it. */
const MONEY_MEMBERS: Readonly<Record<string, string>> = {
  unitPrice: 'unitPrice is a field of a line: send it there',
  discount: 'a discount on the whole document is totalDiscountAmount; a discount on a line is a field of that line',
  lineTotal: 'lineTotal is a field of a line: send it there',
  taxAmount: 'taxAmount is a field of a line: send the tax of each line there',
  taxRate: 'taxRate is a field of a line: send the rate of each line there, in percent',
  taxPerUnit: 'taxPerUnit is a field of a line: send it there',
  taxUnitCount: 'taxUnitCount is a field of a line: send it there',
  taxType: 'taxType is a field of a line: send the type of the tax of each line there',
  taxExemptionReason: 'taxExemptionReason is a field of a line: send it in each exempt line',
  totalDiscountAmount: 'a discount on a line is discount; totalDiscountAmount is a field of the document',
  totalRoundingAmount: 'totalRoundingAmount is a field of the document: send it there',
  totalExcludingTax: 'totalExcludingTax is a field of the document: send it there, or leave it out',
  totalTaxAmount: 'totalTaxAmount is a field of the document: send it there, or leave it out',
  totalIncludingTax: 'totalIncludingTax is a field of the document: send it there, or leave it out',
  totalPayableAmount: 'totalPayableAmount is a field of the document: send it there, or leave it out',
};

// Each of these is an ordinary word, one edit away from a name of the list.
const ORDINARY_WORDS: ReadonlySet<string> = new Set(
  (
    'advanced axes change changes charles debate feelings founding fright grounding hostage layer mayer mount paper ' +
    'player portage prayer pride prime primer primes prince princes prize prizes relate repayment rice shopping ' +
    'skipping slipping sounding supplied supplies takes tales tapes taxis teller tonal viscount'
  ).split(' '),
);

/** One edit makes a word of a shorter name into any other. */
const EDITED_LETTERS_MIN = 5;

// Letters that look alike in one case only.
const MORE_TWINS: ReadonlyMap<string, string> = new Map(
  Array.from('квмнтαεηκρτυχ', (twin, at) => [twin, 'kbmhtaenkptux'[at]]),
);

const MEANINGS: ReadonlyMap<string, MemberMeaning> = new Map([
  ...loadUnsupportedMembers().flatMap(({ names, ...meaning }) =>
    names.map((name): [string, MemberMeaning] => [toPlainName(name), meaning]),
  ),
  ...Object.entries(MONEY_MEMBERS).map(([ownMember, instead]): [string, MemberMeaning] => [
    toPlainName(ownMember),
    { ownMember, instead },
  ]),
]);

const NAMES_BY_LENGTH = new Map<number, string[]>();
for (const name of MEANINGS.keys()) {
  NAMES_BY_LENGTH.set(name.length, [...(NAMES_BY_LENGTH.get(name.length) ?? []), name]);
}

/**
 * Returns what a member is about if its name is, up to one edit, on the list of `unsupported-members.json` or one of our
 * own about money; null for any other name. Ignores case, punctuation, marks and invisible characters, and takes
 * letters that look alike for each other.
 */
export function classifyMember(name: string): MemberMeaning | null {
  if (name.length > MEMBER_NAME_CHARACTERS_MAX) return null;
  const plain = toPlainName(name);
  const same = MEANINGS.get(plain);
  if (same !== undefined) return same;
  if (ORDINARY_WORDS.has(plain)) return null;
  const near = [plain.length, plain.length - 1, plain.length + 1]
    .flatMap((length) => NAMES_BY_LENGTH.get(length) ?? [])
    .filter((known) => known.length >= EDITED_LETTERS_MIN && isNear(plain, known))
    .map((known) => MEANINGS.get(known));
  return near.find((meaning) => meaning?.ownMember !== undefined) ?? near[0] ?? null;
}

/** Most names differ from a known one at both ends already. */
function isNear(plain: string, known: string): boolean {
  return (plain[0] === known[0] || plain.at(-1) === known.at(-1)) && isWithinOneEdit(plain, known);
}

function toPlainName(name: string): string {
  const letters = Array.from(
    name.normalize('NFKD'),
    (letter) => LATIN_TWINS.get(letter) ?? MORE_TWINS.get(letter) ?? letter,
  );
  return letters
    .join('')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Returns the problem of an undeclared member that would change the document; null for any other. */
export function findUnsupported(member: UndeclaredMember): Problem | null {
  const meaning = classifyMember(member.name);
  if (meaning === null || isNeutral(member.value, meaning.neutral)) return null;
  const { ownMember, instead } = meaning;
  const isMisspelt = ownMember !== undefined && member.shape.members.has(ownMember);
  return {
    pointer: buildMemberPointer(member),
    rule: UNSUPPORTED_MEMBER,
    message: 'is not a field of the service, and the document could be wrong without it',
    hint: isMisspelt ? `did you mean ${ownMember}?` : instead,
  };
}

const NUMBER_CHARACTERS_MAX = 40;

function isNeutral(value: unknown, neutral: string | number | undefined): boolean {
  if (typeof value === 'object') return value === null || Object.keys(value).length === 0;
  if (typeof value !== 'string') return Number(value) === 0 || value === neutral;
  if (value.length > NUMBER_CHARACTERS_MAX) return value.trim() === '';
  return Number(value) === 0 || Number(value) === neutral || value.trim().toUpperCase() === neutral;
}
