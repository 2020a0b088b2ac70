import {
  suggestClassificationHint,
  suggestCountryHint,
  suggestStateHint,
  suggestTaxTypeHint,
  suggestUnitHint,
} from './code-hints.js';
import {
  CLASSIFICATIONS,
  type CodeRow,
  isClassification,
  isCountry,
  isMalaysianState,
  isTaxType,
  isUnit,
  TAX_TYPES,
  UNITS,
} from './code-lists.js';

/** The member of a document that has a code of a list. */
export type CodeMember = 'state' | 'country' | 'taxType' | 'classification' | 'unitCode';

/** A code that the authority refused. */
export interface RefusedCode {
  readonly value: string;
  /** The member of the list that the authority named; null if it named none that a document uses. */
  readonly member: CodeMember | 'msic' | null;
}

const NOT_IN_LIST = /^ItemCode (.*) does not exist in CodeType (.*)$/is;
const NOT_ACTIVE = /^ItemCode (.*) was not active when document issued/is;

/** By words in the authority's names of its lists, such as `State Codes`. */
const MEMBERS: readonly (readonly [name: RegExp, member: CodeMember | 'msic'])[] = [
  [/msic|industr/i, 'msic'],
  [/state/i, 'state'],
  [/countr/i, 'country'],
  [/tax/i, 'taxType'],
  [/class/i, 'classification'],
  [/unit/i, 'unitCode'],
];

/** Reads `ItemCode NA does not exist in CodeType State Codes`; null for any other text (authority protocol 14.2). */
export function readRefusedCode(message: string): RefusedCode | null {
  const [, value, list = ''] = NOT_IN_LIST.exec(message) ?? NOT_ACTIVE.exec(message) ?? [];
  if (value === undefined) return null;
  return { value, member: MEMBERS.find(([name]) => name.test(list))?.[1] ?? null };
}

/** Returns the member that a pointer ends with, if it has a code of a list. */
export function getCodeMember(pointer: string): CodeMember | null {
  const member = pointer.slice(pointer.lastIndexOf('/') + 1);
  return isCodeMember(member) ? member : null;
}

function isCodeMember(member: string): member is CodeMember {
  return Object.hasOwn(ADVICE, member);
}

interface Advice {
  readonly suggest: (value: string) => string | undefined;
  /** Whether our list has the code, although the authority refuses it. */
  readonly isListed: (value: string) => boolean;
  readonly buildAction: (refused: string) => string;
}

const ADVICE: Readonly<Record<CodeMember, Advice>> = {
  state: {
    suggest: suggestStateHint,
    isListed: isMalaysianState,
    buildAction: () =>
      "Send the slug of the buyer's state, such as selangor. For an address abroad, send its country and leave state out.",
  },
  country: {
    suggest: suggestCountryHint,
    isListed: isCountry,
    buildAction: () => 'Send country as another ISO 3166-1 alpha-3 code, such as MYS.',
  },
  taxType: {
    suggest: suggestTaxTypeHint,
    isListed: isTaxType,
    buildAction: (refused) => `Send taxType as ${listOthers(TAX_TYPES, refused)}.`,
  },
  classification: {
    suggest: suggestClassificationHint,
    isListed: isClassification,
    buildAction: (refused) =>
      `Send classification as another code of the list, such as ${chooseExample(CLASSIFICATIONS, ['022', '003'], refused)}.`,
  },
  unitCode: {
    suggest: suggestUnitHint,
    isListed: isUnit,
    buildAction: (refused) =>
      `Send unitCode as another code of the list, such as ${chooseExample(UNITS, ['C62', 'H87'], refused)}.`,
  },
};

function listOthers(rows: readonly CodeRow[], refused: string): string {
  const others = rows.filter(({ code }) => code !== refused).map(describeRow);
  return `${others.slice(0, -1).join(', ')} or ${others.at(-1)}`;
}

function chooseExample(rows: readonly CodeRow[], examples: readonly string[], refused: string): string {
  const row = rows.find(({ code }) => code === examples.find((example) => example !== refused));
  if (row === undefined) throw new Error(`None of ${examples.join(', ')} is in the list`);
  return describeRow(row);
}

function describeRow({ code, description }: CodeRow): string {
  return `${code} (${description.toLowerCase()})`;
}

/** Returns what to send in place of a refused code; never the refused code itself. */
export function adviseCode(member: CodeMember, refused: string): string {
  const { suggest, isListed, buildAction } = ADVICE[member];
  const suggestion = isListed(refused) ? undefined : suggest(refused);
  const action = buildAction(refused);
  return suggestion === undefined ? action : `${action} ${suggestion.charAt(0).toUpperCase()}${suggestion.slice(1)}`;
}
