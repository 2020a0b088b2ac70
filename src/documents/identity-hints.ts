import {
  FOREIGN_BUYER_TIN,
  GENERAL_PUBLIC_TIN,
  GENERAL_TINS,
  GOVERNMENT_TIN,
  isTaxpayerTin,
  isTinShape,
  normaliseTin,
  toNarrow,
} from './identity.js';

// Hints about the ids of a taxpayer. Most rejected documents contain an id in the wrong field or format.

const ORGANISATION_PREFIX = /^(?:C|CS|D|F|FA|PT|TA|TC|TN|TR|TP|J|LE)(?=\d)/;
const TIN_EXAMPLE = 'such as C1234567890 for a company or IG1234567890 for an individual';

const NO_NUMBER_CHARACTERS_MAX = 50;
const NO_NUMBER = /^(?:n\.?\s*[./]?\s*a\.?|nil|none|null|tiada|[-\u2010-\u2015\u2212.\s?/]*|0+)$/i;

/** Returns whether a string such as `NA`, `-` or `nil` means that there is no number. */
export function saysNone(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.length <= NO_NUMBER_CHARACTERS_MAX && NO_NUMBER.test(toNarrow(trimmed));
}

export function readOptionalNumber(text: string | null): string | null {
  return text === null || saysNone(text) ? null : toNarrow(text);
}

export const FOREIGN_TIN_HINT = `a foreign buyer without a TIN has ${FOREIGN_BUYER_TIN}`;

export const FOREIGN_NUMBER_HINT = `use ${FOREIGN_BUYER_TIN}, if the buyer has no TIN of Malaysia`;

export const MISSING_TIN_HINT =
  `ask the buyer for it; without one, an individual has ${GENERAL_PUBLIC_TIN} with the own nric, a government body ` +
  `${GOVERNMENT_TIN}, a foreign buyer ${FOREIGN_BUYER_TIN}`;

export const SST_NUMBER_HINT =
  'send the one or two numbers of the registration, such as W10-1808-32000001, or leave it out';

/** BRN format since 2019: year, type of entity, serial number. */
const BRN_FORMAT = /^(?:19|20)\d{2}0[1-6]\d{6}$/;
const BRN_EARLIER_FORMAT = /^\d{5,7}[ -]?[A-Z]$/i;
const NRIC_DIGITS = /^\d{12}$/;

export function hasUsualTinShape(tin: string): boolean {
  return isTaxpayerTin(tin) || GENERAL_TINS.includes(tin);
}

export function buildTaxpayerTinHint(tin: string): string {
  const bare = removePunctuation(tin);
  if (isTaxpayerTin(bare)) return `use ${bare}`;
  if (saysNone(tin)) return `send the TIN of your own registration, ${TIN_EXAMPLE}`;
  return isTinShape(bare) ? buildTinDoubtHint(bare) : tinHint(tin);
}

export function foreignTinHint(sent: string): string {
  if (saysNone(sent)) return FOREIGN_TIN_HINT;
  return isTinShape(removePunctuation(normaliseTin(sent))) ? tinHint(sent) : FOREIGN_NUMBER_HINT;
}

export function tinHint(sent: string): string {
  if (saysNone(sent)) return MISSING_TIN_HINT;
  const tin = normaliseTin(sent);
  const bare = removePunctuation(tin);
  if (bare !== tin && isTinShape(bare)) return `use ${bare}`;
  if (NRIC_DIGITS.test(tin)) return `this looks like an NRIC or BRN; a TIN is ${TIN_EXAMPLE}`;
  if (/^\d+$/.test(tin)) return `begin with the letters of the TIN, ${TIN_EXAMPLE}`;
  return TIN_EXAMPLE;
}

function removePunctuation(tin: string): string {
  return tin.replace(/[-./]/g, '');
}

/** Returns why the authority probably does not know a well-formed TIN, and a likely correction. */
export function buildTinDoubtHint(tin: string): string {
  if (tin.startsWith('EI')) return `the general TINs are ${GENERAL_TINS.join(', ')}`;
  if (/^[OS]G\d/.test(tin)) return `individuals have IG now: ${tin.replace(/^[OS]G/, 'IG')}`;
  const [prefix] = ORGANISATION_PREFIX.exec(tin) ?? [];
  if (prefix === undefined) return 'TINs begin with IG, C, CS, D, F, FA, J, LE, PT, TA, TC, TN, TP or TR';
  const withoutZeros = prefix + tin.slice(prefix.length).replace(/^0+/, '');
  if (withoutZeros !== tin && hasUsualTinShape(withoutZeros)) return `without zeros after the letters: ${withoutZeros}`;
  // Without this hint, users replace the last digit, which results in the TIN of another company.
  if (!tin.endsWith('0')) return 'compare it with the registration: the TIN of an organisation ends in 0';
  return `compare it with the registration; a TIN is ${TIN_EXAMPLE}`;
}

export function hasBirthDate(nric: string): boolean {
  if (nric === NRIC_PLACEHOLDER) return true;
  const [month, day] = [Number(nric.slice(2, 4)), Number(nric.slice(4, 6))];
  return month >= 1 && month <= 12 && day >= 1 && day <= DAYS_MAX[month - 1];
}

/** The authority's id number for a person of whom only the TIN is known. */
export const NRIC_PLACEHOLDER = '000000000000';

// February has 29 days because an NRIC does not contain the century.
const DAYS_MAX = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Tests for the SSM format before 2019, such as `123456-A`. Other registrars use other formats. */
export function isEarlierBrn(value: string): boolean {
  return BRN_EARLIER_FORMAT.test(toNarrow(value));
}

export function looksLikeBrn(value: string): boolean {
  return BRN_FORMAT.test(value) || isEarlierBrn(value);
}

const NUMBER_IN_BRACKETS = /^(.+?)\s*[([\uFF08](.+?)[)\]\uFF09]$/;

/** Returns the current number from a string with two numbers. SSM prints the earlier number in brackets after it. */
export function bareBrn(value: string): string | null {
  const [, ...numbers] = NUMBER_IN_BRACKETS.exec(value.trim()) ?? [];
  const [first = null] = numbers.map((number) => number.trim());
  return numbers.map((number) => number.trim()).find((number) => BRN_FORMAT.test(number)) ?? first;
}

export function brnHint(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const bare = bareBrn(value);
  return bare === null ? 'send one number alone, as it is registered' : `use ${bare}, without the other number`;
}

export function looksLikeNric(value: string): boolean {
  const digits = value.replace(/[-\s]/g, '');
  return NRIC_DIGITS.test(digits) && hasBirthDate(digits) && !BRN_FORMAT.test(digits);
}

export function shortIdHint(value: string, example: string): string {
  const bare = value.replace(/[^A-Za-z0-9]/g, '');
  if (bare !== value && /^[A-Za-z0-9]{1,12}$/.test(bare)) return `use ${bare}`;
  return `send the number alone, as it is on the document, such as ${example}`;
}

/** Hint for a foreign individual without an id, for whom an NRIC or zeros would be incorrect. */
export const PASSPORT_HINT =
  `ask the buyer for the passport number and send it as passport, without nric; ${NRIC_PLACEHOLDER} as nric is for a ` +
  'person with a TIN of Malaysia and no id';

export function foreignNricHint(value: string): string {
  const hint = nricHint(value);
  return hint.includes(NRIC_PLACEHOLDER) ? PASSPORT_HINT : hint;
}

export function nricHint(value: string): string {
  if (saysNone(value)) return `use ${NRIC_PLACEHOLDER}, if the buyer has a TIN and did not give an id`;
  if (looksLikeBrn(value)) return 'this looks like a BRN: send it as brn, with entity_type company';
  const padded = value.padStart(NRIC_PLACEHOLDER.length, '0');
  if (/^\d{10,11}$/.test(value) && hasBirthDate(padded)) return `are leading zeros missing? ${padded}`;
  if (/[A-Z]/i.test(value) && /^[A-Z0-9]{1,12}$/i.test(value)) {
    return 'a passport or army number goes into passport or army, without nric';
  }
  return 'send the 12 digits of the identity card; a foreigner has passport instead, without nric';
}
