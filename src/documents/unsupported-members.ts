import { isWithinOneEdit } from '../common/nearest.js';
import type { Problem } from '../errors/problem.js';
import { LATIN_TWINS } from '../http/validation/look-alikes.js';
import {
  MEMBER_NAME_CHARACTERS_MAX,
  type UndeclaredMember,
  buildMemberPointer,
} from '../http/validation/unknown-members.js';
import { loadUnsupportedMembers } from './code-lists.js';

// A program does not read warnings, so a member that would change the document is an
// error (docs/rules.md#unknown-and-repeated-fields).

export const UNSUPPORTED_MEMBER = 'unsupported_member';

/** Meaning of an undeclared member, derived from its name. */
export interface MemberMeaning {
  readonly ownMember?: string;
  readonly instead: string;
  readonly insteadOfBuyer?: string;
  /** A value that does not change the document, like zero and false. `true` replaces zero and false. */
  readonly neutral?: string | number | true;
}

const MONEY_MEMBERS: Readonly<Record<string, string>> = {
  unitPrice: 'unitPrice is a field of a line: send it there',
  discount:
    'leave it out if it is the sum of the discounts of the lines; otherwise send a discount on the whole document as ' +
    'totalDiscountAmount, and a discount on a line in that line',
  lineTotal: 'lineTotal is a field of a line: send it there',
  taxAmount: 'taxAmount is a field of a line: send the tax of each line there, and leave the sum out',
  taxRate: 'taxRate is a field of a line: send the rate of each line there, in percent',
  taxPerUnit: 'taxPerUnit is a field of a line: send it there',
  taxUnitCount: 'taxUnitCount is a field of a line: send it there',
  taxType: 'taxType is a field of a line: send the type of the tax of each line there',
  taxExemptionReason: 'taxExemptionReason is a field of a line: send it in each exempt line',
  totalDiscountAmount:
    'leave it out if discount already includes it; otherwise send a discount on a line as discount, and a discount on ' +
    'the whole document as totalDiscountAmount of the document',
  totalRoundingAmount: 'totalRoundingAmount is a field of the document: send it there',
  totalExcludingTax: 'totalExcludingTax is a field of the document: send it there, or leave it out',
  totalTaxAmount: 'totalTaxAmount is a field of the document: send it there, or leave it out',
  totalIncludingTax: 'totalIncludingTax is a field of the document: send it there, or leave it out',
  totalPayableAmount: 'totalPayableAmount is a field of the document: send it there, or leave it out',
};

/** One edit turns a shorter name into another word, such as `rate` into `date`. */
const EDITED_LETTERS_MIN = 5;

const MORE_TWINS: ReadonlyMap<string, string> = new Map(
  (
    [
      ['квмнтгпьԍ', 'kbmhtrnbg'],
      ['αεηκρτυχγωϲϳϹ', 'aenkptuxywcjC'],
      ['ոսօհցզ', 'nuohgq'],
      ['ıɑɡłŧđøħƀɨɍɏɇⱥȼǥᵽƶ', 'iagltdohbiryeacgpz'],
      ['ŁŦĐØĦɃƗɌɎɆȺȻǤⱣƵ', 'LTDOHBIRYEACGPZ'],
      ['ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ', 'abcdefghijklmnoprstuvwyz'],
      ['ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ', 'BPDTGKJCZFMNLSRVHWXYAEIOU'],
    ] as const
  ).flatMap(([twins, latin]) => Array.from(twins, (twin, at): [string, string] => [twin, latin.charAt(at)])),
);

// Common words within one edit of a listed name, and names that contain a listed word.
const HARMLESS_NAMES: ReadonlySet<string> = new Set(
  (
    'advanced axes change changes charles cross debate feelings founding fright grass grounding hostage layer mayer ' +
    'mount paper personInCharge player portage prayer priceBook priceGroup priceLevel priceList priceTier pride prime ' +
    'primer primes prince princes prize prizes prom proto relate repayment rice shopping skipping slipping sounding supplied ' +
    'supplies takes tales tapes taxis teller tonal viscount'
  )
    .split(' ')
    .map(toPlainName),
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

/** Listed names by length with the first letter, and by length with the last letter. */
const NAMES_BY_EDGE = new Map<string, string[]>();
const NAMES_WITHOUT_REPEATS = new Map<string, string>();
for (const name of MEANINGS.keys()) {
  NAMES_WITHOUT_REPEATS.set(removeRepeats(name), name);
  if (name.length < EDITED_LETTERS_MIN) continue;
  for (const edge of listEdges(name, name.length)) {
    NAMES_BY_EDGE.set(edge, [...(NAMES_BY_EDGE.get(edge) ?? []), name]);
  }
}

/** The first match applies, so `exchangeFee` is a member about the currency. */
const WORDS = loadUnsupportedMembers().map(({ words = [], ...meaning }) => ({
  words: new Set(words.map(toPlainName)),
  meaning,
}));

/** Last words of names that only identify or describe something, such as `taxNumber` and `discountNote`. */
const HARMLESS_LAST_WORDS: ReadonlySet<string> = new Set(
  (
    'account at comment comments date description id ids label no note notes number ref reference reg registration ' +
    'remark remarks text url'
  )
    .split(' ')
    .map(toPlainName),
);

/**
 * Compares names with the list and with money members. Ignores case, punctuation, marks, repeated letters, a number at
 * the end and one edit. Treats letters that look alike as equal.
 */
export function classifyMember(name: string): MemberMeaning | null {
  const visible = isAscii(name)
    ? name.replaceAll(/[^A-Za-z0-9|]+/g, '_')
    : name.replaceAll(UNSEEN, '').replaceAll(SEPARATORS, '_');
  if (visible.length > MEMBER_NAME_CHARACTERS_MAX) return null;
  const latin = toLatin(visible);
  const plain = toPlainName(latin);
  const listed = MEANINGS.get(plain);
  if (listed !== undefined) return listed;
  if (HARMLESS_NAMES.has(plain)) return null;
  return (
    MEANINGS.get(toPlainName(removeNumberAtEnd(latin))) ??
    findWithoutRepeats(plain) ??
    findByWord(latin) ??
    findNear(plain)
  );
}

const UNSEEN = /[\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const SEPARATORS = /[\p{P}\p{Z}\p{Cc}]+/gu;

function removeNumberAtEnd(latin: string): string {
  const letters = Array.from(latin);
  return letters.slice(0, letters.findLastIndex((letter) => /\p{L}/u.test(letter)) + 1).join('');
}

function findWithoutRepeats(plain: string): MemberMeaning | undefined {
  const known = NAMES_WITHOUT_REPEATS.get(removeRepeats(plain));
  return known === undefined || plain.length < known.length ? undefined : MEANINGS.get(known);
}

function findByWord(latin: string): MemberMeaning | undefined {
  const words = splitWords(latin).map(toPlainName);
  if (HARMLESS_LAST_WORDS.has(words.at(-1) ?? '')) return undefined;
  return WORDS.find((entry) => words.some((word) => entry.words.has(word)))?.meaning;
}

function splitWords(latin: string): string[] {
  const [lowerUpper, upperUpper, other] = isAscii(latin)
    ? [/([a-z])([A-Z])/g, /([A-Z])([A-Z][a-z])/g, /[^A-Za-z|]/]
    : [/(\p{Ll})(\p{Lu})/gu, /(\p{Lu})(\p{Lu}\p{Ll})/gu, /[^\p{L}|]/u];
  return latin
    .replaceAll(lowerUpper, '$1_$2')
    .replaceAll(upperUpper, '$1_$2')
    .split(other)
    .filter((word) => word !== '');
}

function findNear(plain: string): MemberMeaning | null {
  const near = [plain.length, plain.length - 1, plain.length + 1]
    .flatMap((length) => listEdges(plain, length))
    .flatMap((edge) => NAMES_BY_EDGE.get(edge) ?? [])
    .filter((known) => isWithinOneEdit(plain, known))
    .map((known) => MEANINGS.get(known));
  return near.find((meaning) => meaning?.ownMember !== undefined) ?? near[0] ?? null;
}

function listEdges(name: string, length: number): string[] {
  return [`${length} ${name.charAt(0)}…`, `${length} …${name.charAt(name.length - 1)}`];
}

function removeRepeats(plain: string): string {
  const letters = Array.from(plain);
  return letters.filter((letter, at) => letter !== letters[at - 1]).join('');
}

/** Replaces letters before and after the decomposition, because the lunate sigma decomposes into another letter. */
function toLatin(name: string): string {
  if (isAscii(name)) return name;
  return replaceTwins(replaceTwins(name).normalize('NFKD'));
}

function replaceTwins(text: string): string {
  return Array.from(text, (letter) => LATIN_TWINS.get(letter) ?? MORE_TWINS.get(letter) ?? letter).join('');
}

/** Returns the form in which names are compared. Treats i, l, 1 and | as one letter, and o and 0 as another. */
function toPlainName(name: string): string {
  const folded = toLatin(name).toLowerCase().replaceAll(/[i1|]/g, 'l').replaceAll('0', 'o');
  return folded.replaceAll(isAscii(folded) ? /[^a-z0-9]/g : /[^\p{L}\p{N}]/gu, '');
}

/** Nearly every name is ASCII. Patterns with Unicode properties take ten times as long. */
function isAscii(text: string): boolean {
  return !/[^ -~]/.test(text);
}

export function findUnsupported(member: UndeclaredMember): Problem | null {
  const meaning = classifyMember(member.name);
  if (meaning === null || isNeutral(member.value, meaning.neutral)) return null;
  const { ownMember, instead, insteadOfBuyer = instead } = meaning;
  const isMisspelt = ownMember !== undefined && member.shape.members.has(ownMember);
  return {
    pointer: buildMemberPointer(member),
    rule: UNSUPPORTED_MEMBER,
    message: 'is not a field of the service, and the document could be wrong without it',
    hint: isMisspelt ? `did you mean ${ownMember}?` : isBuyer(member) ? insteadOfBuyer : instead,
  };
}

function isBuyer({ shape }: UndeclaredMember): boolean {
  return shape.members.has('sstNumber');
}

const NUMBER_CHARACTERS_MAX = 40;

function isNeutral(value: unknown, neutral: string | number | true | undefined): boolean {
  if (typeof value === 'object') return value === null || Object.keys(value).length === 0;
  if (typeof value !== 'string') return value === neutral || (neutral === true ? value === 1 : Number(value) === 0);
  if (neutral === true) return ['', '1', 'true'].includes(value.trim().toLowerCase());
  if (value.length > NUMBER_CHARACTERS_MAX) return value.trim() === '';
  return Number(value) === 0 || Number(value) === neutral || value.trim().toUpperCase() === neutral;
}
