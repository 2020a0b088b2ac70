import { readFileSync } from 'node:fs';
import { parseJsonText } from '../common/parse-json-text.js';

// Lists of the authority. The slugs of the states and their aliases belong to the service (docs/rules.md#body-rules).
export interface CodeRow {
  readonly code: string;
  readonly description: string;
}

export interface StateRow extends CodeRow {
  readonly slug: string;
  readonly slugAliases: readonly string[];
}

/** State code of addresses abroad and of the consolidated buyer (docs/rules.md#authority-document). */
export const STATE_NOT_APPLICABLE = '17';

/** State code that the authority no longer accepts (CV302). */
export const STATE_RETIRED = '00';
export const MALAYSIA = 'MYS';

export const STATES: readonly StateRow[] = load('state-codes');

const stateCodes = new Map(STATES.flatMap((row) => [row.slug, ...row.slugAliases].map((slug) => [slug, row.code])));
const malaysianStates = new Set(STATES.map((row) => row.code).filter((code) => code !== STATE_NOT_APPLICABLE));

export const COUNTRIES: readonly CodeRow[] = load('country-codes');
export const TAX_TYPES: readonly CodeRow[] = load('tax-types');
export const CLASSIFICATIONS: readonly CodeRow[] = load('classification-codes');
export const UNITS: readonly CodeRow[] = load('unit-types');
export const INDUSTRIES: readonly CodeRow[] = load('msic-codes');

const countries = collectCodes(COUNTRIES);
const taxTypes = collectCodes(TAX_TYPES);
const classifications = collectCodes(CLASSIFICATIONS);
const units = collectCodes(UNITS);
const industries = collectCodes(INDUSTRIES);

export const STATE_SLUGS: readonly string[] = STATES.map((row) => row.slug);

export const STATE_SPELLINGS: readonly (readonly [spelling: string, slug: string])[] = STATES.flatMap((row) => [
  ...[row.slug, ...row.slugAliases].map((slug) => [slug, slug] as const),
  [row.code, row.slug] as const,
]);

/** Returns the two-digit code of a slug or alias, or null. */
export function findStateCode(slugOrAlias: string): string | null {
  return stateCodes.get(slugOrAlias) ?? null;
}

export function isMalaysianState(code: string): boolean {
  return malaysianStates.has(code);
}

export function isCountry(code: string): boolean {
  return countries.has(code);
}

export function isTaxType(code: string): boolean {
  return taxTypes.has(code);
}

export function isClassification(code: string): boolean {
  return classifications.has(code);
}

export function isUnit(code: string): boolean {
  return units.has(code);
}

export function isMsic(code: string): boolean {
  return industries.has(code);
}

export interface UnsupportedMembers {
  readonly instead: string;
  readonly insteadOfBuyer?: string;
  readonly neutral?: string | number | true;
  readonly names: readonly string[];
  /** Words that do not change the meaning of a name. */
  readonly words?: readonly string[];
}

export function loadUnsupportedMembers(): UnsupportedMembers[] {
  return load<UnsupportedMembers>('unsupported-members');
}

function collectCodes(rows: readonly CodeRow[]): ReadonlySet<string> {
  return new Set(rows.map((row) => row.code));
}

// Loaded with the module, so that a missing or malformed list prevents the process from starting.
function load<Row = CodeRow>(list: string): Row[] {
  return parseJsonText(readFileSync(new URL(`./code-lists/${list}.json`, import.meta.url), 'utf8')) as Row[];
}
