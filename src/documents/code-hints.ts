import { type Suggest, didYouMean, createSuggester } from '../common/nearest.js';
import {
  CLASSIFICATIONS,
  COUNTRIES,
  type CodeRow,
  STATE_NOT_APPLICABLE,
  STATE_SLUGS,
  STATE_SPELLINGS,
  TAX_TYPES,
  UNITS,
  findStateCode,
} from './code-lists.js';

// Suggestions for values that are not in a code list. The values can have any type.

const DESCRIPTION_CHARACTERS_MAX = 60;

/** Common names of units that the descriptions in the list do not contain. */
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
  ['tan', 'TNE'],
  ['bottle', 'XBO'],
  ['bottles', 'XBO'],
  ['botol', 'XBO'],
  ['can', 'XCX'],
  ['gal', 'GLL'],
  ['gal', 'GLI'],
  ['gallon', 'GLL'],
  ['gallon', 'GLI'],
  ['gallons', 'GLL'],
  ['gallons', 'GLI'],
  ['ton', 'TNE'],
  ['tonne', 'TNE'],
  ['mt', 'TNE'],
  ['service', 'E48'],
  ['dozen', 'DZN'],
];

/** Common names of countries that the list describes differently. */
const COUNTRY_NAMES: readonly (readonly [name: string, code: string])[] = [
  ['Burma', 'MMR'],
  ['Congo - Kinshasa', 'COD'],
  ['Congo - Brazzaville', 'COG'],
  ['Czechia', 'CZE'],
  ['England', 'GBR'],
  ['Great Britain', 'GBR'],
  ['Holland', 'NLD'],
  ['MYR', 'MYS'],
  ['North Korea', 'PRK'],
  ['North Macedonia', 'MKD'],
  ['Palestinian Territories', 'PSE'],
  ['Slovakia', 'SVK'],
  ['South Korea', 'KOR'],
  ['St. Lucia', 'LCA'],
  ['UAE', 'ARE'],
  ['United States', 'USA'],
];

/**
 * Abbreviations and former names of states. Excludes number plate letters and ISO 3166-2 codes, because invoices do not
 * contain them.
 */
const STATE_NAMES: readonly (readonly [name: string, slug: string])[] = [
  ['JHR', 'johor'],
  ['KDH', 'kedah'],
  ['KTN', 'kelantan'],
  ['MLK', 'melaka'],
  ['N. Sembilan', 'negeri_sembilan'],
  ['NSN', 'negeri_sembilan'],
  ['N9', 'negeri_sembilan'],
  ['PHG', 'pahang'],
  ['P. Pinang', 'pulau_pinang'],
  ['PNG', 'pulau_pinang'],
  ['PRK', 'perak'],
  ['PLS', 'perlis'],
  ['SGR', 'selangor'],
  ['TRG', 'terengganu'],
  ['SBH', 'sabah'],
  ['SWK', 'sarawak'],
  ...['KL', 'KUL', 'WP KL', 'Wilayah Persekutuan KL', 'Federal Territory of Kuala Lumpur'].map(
    (name) => [name, 'kuala_lumpur'] as const,
  ),
  ['LBN', 'labuan'],
  ['Federal Territory of Labuan', 'labuan'],
  ['PJY', 'putrajaya'],
  ['Federal Territory of Putrajaya', 'putrajaya'],
];

const suggestState = createSuggester(
  [...STATE_NAMES, ...STATE_SPELLINGS.filter(([, slug]) => findStateCode(slug) !== STATE_NOT_APPLICABLE)],
  { isForgiving: true },
);
const COUNTRY_SPELLINGS = [
  ...COUNTRY_NAMES.map(([name, code]) => [name, describeCode(COUNTRIES, code)] as const),
  ...listSpellings(COUNTRIES),
];
const suggestCountry = createSuggester(COUNTRY_SPELLINGS, { isForgiving: true });
// Country names are not corrected, because a similar name belongs to another country.
const suggestRegion = createSuggester(COUNTRY_SPELLINGS, { isForgiving: false });
const suggestTaxType = createSuggester(listSpellings(TAX_TYPES), { isForgiving: true });
const suggestClassification = createSuggester(listSpellings(CLASSIFICATIONS), { isForgiving: true });
const suggestUnit = createSuggester(
  [
    ...UNIT_NAMES.map(([name, code]) => [name, describeCode(UNITS, code)] as const),
    // The list contains a "gal" of acceleration and a code TAN of acid.
    ...listSpellings(UNITS).filter(([spelling]) => !UNIT_NAMES.some(([name]) => name === spelling.toLowerCase())),
  ],
  {
    isForgiving: false,
  },
);

export function suggestStates(value: unknown): string[] {
  return suggestFor(value, suggestState, 2);
}

export function suggestStateHint(value: unknown): string | undefined {
  return didYouMean(suggestStates(value));
}

export function suggestCountryHint(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const name = /^[a-z]{2}$/i.test(text) ? REGION_NAMES.of(text.toUpperCase()) : undefined;
  return didYouMean(name === undefined ? suggestCountry(text) : suggestRegion(name));
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

const ABROAD = 'for an address outside Malaysia, send its country too';
const STATES_OF_MALAYSIA = STATE_SLUGS.filter((slug) => findStateCode(slug) !== STATE_NOT_APPLICABLE);

export function stateHint(value: unknown): string {
  return suggestStateHint(value) ?? `one of: ${STATES_OF_MALAYSIA.join(', ')}; ${ABROAD}`;
}

export function countryHint(value: unknown): string {
  return suggestCountryHint(value) ?? 'send the three letters of the country in ISO 3166-1, such as SGP for Singapore';
}

export function taxTypeHint(value: unknown): string {
  return suggestTaxTypeHint(value) ?? `one of: ${TAX_TYPES.map(describeRow).join(', ')}`;
}

export function classificationHint(value: unknown): string {
  return suggestClassificationHint(value) ?? 'use 022, or leave it out';
}

export function unitHint(value: unknown): string {
  return suggestUnitHint(value) ?? 'use C62, or leave it out';
}

const REGION_NAMES = new Intl.DisplayNames(['en'], { type: 'region' });

/** Restores the leading zeros that spreadsheets remove from codes. */
function suggestFor(value: unknown, suggest: Suggest, codeDigits: number): string[] {
  if (typeof value !== 'string' && typeof value !== 'number') return [];
  const text = String(value).trim();
  return suggest(/^\d+$/.test(text) ? text.padStart(codeDigits, '0') : text);
}

function listSpellings(rows: readonly CodeRow[]): (readonly [string, string])[] {
  return rows.flatMap((row) => [[row.code, describeRow(row)] as const, [row.description, describeRow(row)] as const]);
}

function describeCode(rows: readonly CodeRow[], code: string): string {
  const row = rows.find((each) => each.code === code);
  if (row === undefined) throw new Error(`No code ${code} in the list`);
  return describeRow(row);
}

function describeRow({ code, description }: CodeRow): string {
  const isLong = description.length > DESCRIPTION_CHARACTERS_MAX;
  return `${code} (${isLong ? `${description.slice(0, DESCRIPTION_CHARACTERS_MAX)}…` : description})`;
}

const POSTCODE_DIGITS = 5;
const OR_ABROAD = 'for an address outside Malaysia send country too';

// States with postcodes that start with a zero, and the digits that may follow it.
const DIGIT_AFTER_ZERO: Readonly<Record<string, RegExp | undefined>> = {
  // Kedah
  '02': /^[5-9]/,
  // Perlis
  '09': /^[12]/,
};

/** Suggests a Malaysian postcode if one is certain or likely. */
export function postcodeHint(postcode: string, state: string): string {
  const bare = postcode.replace(/[\s-]/g, '');
  if (bare !== postcode && /^\d{5}$/.test(bare)) return `use ${bare}, not ${postcode}`;
  const [only, another] = postcode.match(/(?<!\d)\d{5}(?!\d)/g) ?? [];
  if (only !== undefined && another === undefined) return `use ${only} alone`;
  const afterZero = DIGIT_AFTER_ZERO[findStateCode(state) ?? ''];
  if (!/^\d{4}$/.test(bare)) return `such as 50480, not ${postcode}; ${OR_ABROAD}`;
  if (afterZero?.test(bare) === true) return `use ${bare.padStart(POSTCODE_DIGITS, '0')}, not ${postcode}`;
  return `use ${bare.padEnd(POSTCODE_DIGITS, '0')}, not ${postcode}, if the last zero is missing; ${OR_ABROAD}`;
}
