import { readFileSync } from 'node:fs';
import { parseJsonText } from '../common/parse-json-text.js';

// The authority's own published lists; the state slugs and their aliases are ours (docs/rules.md#body-rules).
export interface CodeRow {
  readonly code: string;
  readonly description: string;
}

export interface StateRow extends CodeRow {
  readonly slug: string;
  readonly slugAliases: readonly string[];
}

/** State code of an address outside Malaysia, and of the consolidated buyer (docs/rules.md#authority-document). */
export const STATE_NOT_APPLICABLE = '17';

/** State code that the authority no longer accepts (CV302). */
export const STATE_RETIRED = '00';
export const MALAYSIA = 'MYS';

/** The states of Malaysia and, as the last, `not_applicable` for addresses abroad. */
export const STATES: readonly StateRow[] = load('state-codes');

const stateCodes = new Map(STATES.flatMap((row) => [row.slug, ...row.slugAliases].map((slug) => [slug, row.code])));
const malaysianStates = new Set(STATES.map((row) => row.code).filter((code) => code !== STATE_NOT_APPLICABLE));

/** With their descriptions, for hints. */
export const COUNTRIES: readonly CodeRow[] = load('country-codes');
export const TAX_TYPES: readonly CodeRow[] = load('tax-types');
export const CLASSIFICATIONS: readonly CodeRow[] = load('classification-codes');
export const UNITS: readonly CodeRow[] = load('unit-types');
/** Malaysia Standard Industrial Classification (MSIC). */
export const INDUSTRIES: readonly CodeRow[] = load('msic-codes');

const countries = collectCodes(COUNTRIES);
const taxTypes = collectCodes(TAX_TYPES);
const classifications = collectCodes(CLASSIFICATIONS);
const units = collectCodes(UNITS);
const industries = collectCodes(INDUSTRIES);

/** The slugs in the order of the codes, without aliases: what a message may suggest. */
export const STATE_SLUGS: readonly string[] = STATES.map((row) => row.slug);

/** Every way to name a state, with the spelling that is taken: the slug or alias itself, or the slug for a code. */
export const STATE_SPELLINGS: readonly (readonly [spelling: string, slug: string])[] = STATES.flatMap((row) => [
  ...[row.slug, ...row.slugAliases].map((slug) => [slug, slug] as const),
  [row.code, row.slug] as const,
]);

/** The two-digit code of a state's slug or alias, exactly as written in the list; null when there is none. */
export function findStateCode(slugOrAlias: string): string | null {
  return stateCodes.get(slugOrAlias) ?? null;
}

/** Codes `01` to `16`; `17` is no Malaysian state. */
export function isMalaysianState(code: string): boolean {
  return malaysianStates.has(code);
}

/** ISO 3166-1 alpha-3, upper case. */
export function isCountry(code: string): boolean {
  return countries.has(code);
}

export function isTaxType(code: string): boolean {
  return taxTypes.has(code);
}

/** Three digits, `001` to `045`. */
export function isClassification(code: string): boolean {
  return classifications.has(code);
}

/** UN/ECE Recommendation 20 and 21, such as `C62` (one). */
export function isUnit(code: string): boolean {
  return units.has(code);
}

/** Malaysia Standard Industrial Classification, five digits. */
export function isMsic(code: string): boolean {
  return industries.has(code);
}

/** Names of members that would change a document and that the service does not have, by what they refer to. */
export interface UnsupportedMembers {
  /** What to do with the member. */
  readonly instead: string;
  /** The same for a member of the buyer, where it differs. */
  readonly insteadOfBuyer?: string;
  readonly neutral?: string | number | true;
  readonly names: readonly string[];
  /** A name with one of these words is about the same. */
  readonly words?: readonly string[];
}

export function loadUnsupportedMembers(): UnsupportedMembers[] {
  return load<UnsupportedMembers>('unsupported-members');
}

function collectCodes(rows: readonly CodeRow[]): ReadonlySet<string> {
  return new Set(rows.map((row) => row.code));
}

// Once, when the module is loaded: a missing or broken list stops the start of the process, not a request.
function load<Row = CodeRow>(list: string): Row[] {
  return parseJsonText(readFileSync(new URL(`./code-lists/${list}.json`, import.meta.url), 'utf8')) as Row[];
}
