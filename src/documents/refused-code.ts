import {
  suggestClassificationHint,
  suggestCountryHint,
  suggestStates,
  suggestTaxTypeHint,
  suggestUnitHint,
} from './code-hints.js';
import {
  CLASSIFICATIONS,
  COUNTRIES,
  type CodeRow,
  isClassification,
  isCountry,
  isMalaysianState,
  isTaxType,
  isUnit,
  MALAYSIA,
  STATES,
  TAX_TYPES,
  UNITS,
} from './code-lists.js';

export type CodeMember = 'state' | 'country' | 'taxType' | 'classification' | 'unitCode';

export interface RefusedCode {
  readonly value: string;
  readonly member: CodeMember | 'msic' | null;
}

const NOT_IN_LIST = /^ItemCode (.*) does not exist in CodeType (.*)$/is;
const NOT_ACTIVE = /^ItemCode (.*) was not active when document issued/is;

/** Words in the authority's names of its lists, such as `State Codes`. */
const MEMBERS: readonly (readonly [name: RegExp, member: CodeMember | 'msic'])[] = [
  [/msic|industr/i, 'msic'],
  [/state/i, 'state'],
  [/countr/i, 'country'],
  [/tax/i, 'taxType'],
  [/class/i, 'classification'],
  [/unit/i, 'unitCode'],
];

/**
 * Parses `ItemCode NA does not exist in CodeType State Codes`. Returns null for any other message (authority protocol
 * 14.2).
 */
export function readRefusedCode(message: string): RefusedCode | null {
  const [, value, list = ''] = NOT_IN_LIST.exec(message) ?? NOT_ACTIVE.exec(message) ?? [];
  if (value === undefined) return null;
  return { value, member: MEMBERS.find(([name]) => name.test(list))?.[1] ?? null };
}

export function getCodeMember(pointer: string): CodeMember | null {
  const member = pointer.slice(pointer.lastIndexOf('/') + 1);
  return isCodeMember(member) ? member : null;
}

function isCodeMember(member: string): member is CodeMember {
  return Object.hasOwn(ADVICE, member);
}

/** Never mentions the rejected code. */
const ADVICE: Readonly<Record<CodeMember, (refused: string) => string>> = {
  state: adviseState,
  country: (refused) =>
    addSuggestion(
      `Send country as another ISO 3166-1 alpha-3 code, such as ${chooseExample(COUNTRIES, [MALAYSIA, 'SGP'], refused)}.`,
      isCountry(refused) ? undefined : suggestCountryHint(refused),
    ),
  taxType: (refused) =>
    addSuggestion(
      `Send taxType as ${listOthers(TAX_TYPES, refused)}.`,
      isTaxType(refused) ? undefined : suggestTaxTypeHint(refused),
    ),
  classification: (refused) =>
    addSuggestion(
      `Send classification as another code of the list, such as ${chooseExample(CLASSIFICATIONS, ['022', '003'], refused)}.`,
      isClassification(refused) ? undefined : suggestClassificationHint(refused),
    ),
  unitCode: (refused) =>
    addSuggestion(
      `Send unitCode as another code of the list, such as ${chooseExample(UNITS, ['C62', 'H87'], refused)}.`,
      isUnit(refused) ? undefined : suggestUnitHint(refused),
    ),
};

const STATE_ABROAD = 'For an address abroad, send its country and leave state out.';
const STATE_EXAMPLES = ['selangor', 'johor'];

function adviseState(refused: string): string {
  const named = isMalaysianState(refused) ? [] : suggestStates(refused);
  if (named.length > 0) {
    return `For an address in Malaysia, send country ${MALAYSIA} with state ${listAlternatives(named)}. ${STATE_ABROAD}`;
  }
  const slug = STATES.find(({ code }) => code === refused)?.slug;
  const example = STATE_EXAMPLES.find((each) => each !== slug);
  return `Send the slug of the buyer's state, such as ${example}. ${STATE_ABROAD}`;
}

function addSuggestion(action: string, suggestion: string | undefined): string {
  return suggestion === undefined ? action : `${action} ${suggestion.charAt(0).toUpperCase()}${suggestion.slice(1)}`;
}

function listOthers(rows: readonly CodeRow[], refused: string): string {
  return listAlternatives(rows.filter(({ code }) => code !== refused).map(describeRow));
}

function listAlternatives(texts: readonly string[]): string {
  return texts.length === 1 ? texts[0] : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;
}

function chooseExample(rows: readonly CodeRow[], examples: readonly string[], refused: string): string {
  const row = rows.find(({ code }) => code === examples.find((example) => example !== refused));
  if (row === undefined) throw new Error(`None of ${examples.join(', ')} is in the list`);
  return describeRow(row);
}

function describeRow({ code, description }: CodeRow): string {
  return `${code} (${description.toLowerCase()})`;
}

export function adviseCode(member: CodeMember, refused: string): string {
  return ADVICE[member](refused);
}
