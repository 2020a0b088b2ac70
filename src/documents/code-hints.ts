import { type Suggest, didYouMean, createSuggester } from '../common/nearest.js';
import {
  CLASSIFICATIONS,
  COUNTRIES,
  type CodeRow,
  STATE_NOT_APPLICABLE,
  STATE_SPELLINGS,
  TAX_TYPES,
  UNITS,
  findStateCode,
} from './code-lists.js';

// What a value that is in no code list was probably meant to be. Values come as they were sent, of any type.

// Descriptions of some classifications are whole paragraphs.
const DESCRIPTION_CHARACTERS_MAX = 60;

/** What callers write for the units that are billed most often, and no description of the list says. */
const UNIT_NAMES: readonly (readonly [name: string, code: string])[] = [
  ['unit', 'C62'],
  ['units', 'C62'],
  ['pc', 'H87'],
  ['pcs', 'H87'],
  ['pce', 'H87'],
  ['kg', 'KGM'],
  ['kgs', 'KGM'],
  ['g', 'GRM'],
  ['gm', 'GRM'],
  ['l', 'LTR'],
  ['liter', 'LTR'],
  ['ltr', 'LTR'],
  ['ml', 'MLT'],
  ['m', 'MTR'],
  ['meter', 'MTR'],
  ['cm', 'CMT'],
  ['km', 'KMT'],
  ['sqm', 'MTK'],
  ['m2', 'MTK'],
  ['m3', 'MTQ'],
  ['hr', 'HUR'],
  ['hrs', 'HUR'],
  ['mth', 'MON'],
  ['yr', 'ANN'],
  ['ctn', 'XCT'],
  ['bx', 'XBX'],
  ['pkt', 'XPK'],
  ['ton', 'TNE'],
  ['dozen', 'DZN'],
];

const suggestState = createSuggester(
  STATE_SPELLINGS.filter(([, slug]) => findStateCode(slug) !== STATE_NOT_APPLICABLE),
  { isForgiving: true },
);
const suggestCountry = createSuggester(listSpellings(COUNTRIES), { isForgiving: true });
const suggestTaxType = createSuggester(listSpellings(TAX_TYPES), { isForgiving: true });
const suggestClassification = createSuggester(listSpellings(CLASSIFICATIONS), { isForgiving: true });
const suggestUnit = createSuggester(
  [...UNIT_NAMES.map(([name, code]) => [name, describeUnit(code)] as const), ...listSpellings(UNITS)],
  {
    isForgiving: false,
  },
);

export function suggestStateHint(value: unknown): string | undefined {
  return didYouMean(suggestFor(value, suggestState, 2));
}

/** By alpha-3 code, alpha-2 code or name. */
export function suggestCountryHint(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const name = /^[a-z]{2}$/i.test(text) ? REGION_NAMES.of(text.toUpperCase()) : undefined;
  return didYouMean(suggestCountry(name ?? text));
}

export function suggestTaxTypeHint(value: unknown): string | undefined {
  return didYouMean(suggestFor(value, suggestTaxType, 2));
}

export function suggestClassificationHint(value: unknown): string | undefined {
  return didYouMean(suggestFor(value, suggestClassification, 3));
}

export function suggestUnitHint(value: unknown): string | undefined {
  return didYouMean(suggestFor(value, suggestUnit, 0));
}

const REGION_NAMES = new Intl.DisplayNames(['en'], { type: 'region' });

/** Spreadsheets take the zeros off the front of a code and make a number of it. */
function suggestFor(value: unknown, suggest: Suggest, codeDigits: number): string[] {
  if (typeof value !== 'string' && typeof value !== 'number') return [];
  const text = String(value).trim();
  return suggest(/^\d+$/.test(text) ? text.padStart(codeDigits, '0') : text);
}

function listSpellings(rows: readonly CodeRow[]): (readonly [string, string])[] {
  return rows.flatMap((row) => [[row.code, describeRow(row)] as const, [row.description, describeRow(row)] as const]);
}

function describeUnit(code: string): string {
  const row = UNITS.find((unit) => unit.code === code);
  if (row === undefined) throw new Error(`No unit ${code} in the list`);
  return describeRow(row);
}

function describeRow({ code, description }: CodeRow): string {
  const isLong = description.length > DESCRIPTION_CHARACTERS_MAX;
  return `${code} (${isLong ? `${description.slice(0, DESCRIPTION_CHARACTERS_MAX)}…` : description})`;
}
