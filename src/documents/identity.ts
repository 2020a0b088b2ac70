import { isAtMost, isPrintable } from '../http/validation/text.js';

export type IdType = 'BRN' | 'NRIC' | 'PASSPORT' | 'ARMY';
export const ID_TYPES: readonly IdType[] = ['BRN', 'NRIC', 'PASSPORT', 'ARMY'];

export const NOT_APPLICABLE = 'NA';

/** TIN of the general public, allowed only in consolidated documents (docs/rules.md#numbers-and-ids). */
export const GENERAL_PUBLIC_TIN = 'EI00000000010';

export const GOVERNMENT_TIN = 'EI00000000040';

export const FOREIGN_BUYER_TIN = 'EI00000000020';
export const FOREIGN_SUPPLIER_TIN = 'EI00000000030';

/** General TINs, whose check needs no authority call (docs/rules.md#tin-check). */
export const GENERAL_TINS: readonly string[] = [
  GENERAL_PUBLIC_TIN,
  FOREIGN_BUYER_TIN,
  FOREIGN_SUPPLIER_TIN,
  GOVERNMENT_TIN,
];

/** TIN format from docs/rules.md#numbers-and-ids. The authority is stricter. */
const TIN_SHAPE = /^[A-Z]{1,2}\d{6,12}$/;

// Characters that often occur in copied TINs.
const INVISIBLE = /[\s\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\uFEFF]/gu;

const FULL_WIDTH = /[\uFF01-\uFF5E\u3000]/g;
const FULL_WIDTH_SPACE = '\u3000';
const FULL_WIDTH_OFFSET = 0xfee0;

export function toNarrow(text: string): string {
  return text.replace(FULL_WIDTH, (wide) =>
    wide === FULL_WIDTH_SPACE ? ' ' : String.fromCharCode(wide.charCodeAt(0) - FULL_WIDTH_OFFSET),
  );
}

export function normaliseTin(text: string): string {
  return toNarrow(text.normalize('NFC')).replace(INVISIBLE, '').toUpperCase();
}

/** From https://sdk.myinvois.hasil.gov.my/faq/. A test checks that the simulator uses the same pattern. */
const TAXPAYER_TIN = /^(?:IG\d{1,12}|(?:C|CS|D|F|FA|PT|TA|TC|TN|TR|TP|J|LE)[1-9]\d{0,10}0)$/;

export function isTaxpayerTin(tin: string): boolean {
  return TAXPAYER_TIN.test(tin);
}

export const SST_NUMBERS = /^[A-Za-z0-9-]+(?:;[A-Za-z0-9-]+)?$/;

export function isTinShape(tin: string): boolean {
  return TIN_SHAPE.test(tin);
}

/** Keeps hyphens, slashes and spaces of a BRN such as `PPM-001-10-12345678` (docs/rules.md#numbers-and-ids). */
export function normaliseIdValue(idType: IdType, text: string): string {
  if (idType === 'BRN') return toNarrow(text).trim();
  return toNarrow(text.normalize('NFC')).replace(INVISIBLE, '').replaceAll('-', '');
}

const BRN_CHARACTERS_MAX = 20;

export function isBrn(text: string): boolean {
  return text !== '' && isAtMost(text, BRN_CHARACTERS_MAX) && isPrintable(text);
}

/** A sole proprietor with a BRN is represented as `TIN:BRN` (docs/rules.md#represented-taxpayer). */
export function formatOnBehalfOf(taxpayer: { tin: string; idType: IdType; idValue: string }): string {
  return isSoleProprietor(taxpayer) ? `${taxpayer.tin}:${taxpayer.idValue}` : taxpayer.tin;
}

export function findOnBehalfOf({ tin, idType, idValue }: TaxpayerProfile): string | null {
  return tin && idType && idValue ? formatOnBehalfOf({ tin, idType, idValue }) : null;
}

interface TaxpayerProfile {
  readonly tin: string | null;
  readonly idType: IdType | null;
  readonly idValue: string | null;
}

export function isSoleProprietor({ tin, idType }: { tin: string | null; idType: IdType | null }): boolean {
  return idType === 'BRN' && tin !== null && tin.startsWith('IG');
}

export function readRepresentedTin(onBehalfOf: string): string {
  return onBehalfOf.split(':', 1)[0] ?? '';
}

const NRIC_DIGITS = /^\d{12}$/;

const NO_NUMBER_CHARACTERS_MAX = 50;
const NO_NUMBER = /^(?:n\.?\s*[./]?\s*a\.?|nil|none|null|tiada|[-\u2010-\u2015\u2212.\s?/]*|0+)$/i;

/** Returns whether a text such as `NA`, `-` or `nil` states that there is no number. */
export function saysNone(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.length <= NO_NUMBER_CHARACTERS_MAX && NO_NUMBER.test(toNarrow(trimmed));
}

export function readOptionalNumber(text: string | null): string | null {
  return text === null || saysNone(text) ? null : toNarrow(text);
}

export function hasUsualTinShape(tin: string): boolean {
  return isTaxpayerTin(tin) || GENERAL_TINS.includes(tin);
}

/** BRN since 2019: year, kind of entity, running number. */
const BRN_FORMAT = /^(?:19|20)\d{2}0[1-6]\d{6}$/;
const BRN_EARLIER_FORMAT = /^\d{5,7}[ -]?[A-Z]$/i;

export function looksLikeBrn(value: string): boolean {
  return BRN_FORMAT.test(value) || isEarlierBrn(value);
}

/** Tests for the SSM format before 2019, such as `123456-A`. Other registrars use other formats. */
export function isEarlierBrn(value: string): boolean {
  return BRN_EARLIER_FORMAT.test(toNarrow(value));
}

const NUMBER_IN_BRACKETS = /^(.+?)\s*[([\uFF08](.+?)[)\]\uFF09]$/;

/** Returns the current number of a text with two numbers. SSM prints the earlier number in brackets behind it. */
export function bareBrn(value: string): string | null {
  const [, ...numbers] = NUMBER_IN_BRACKETS.exec(value.trim()) ?? [];
  const [first = null] = numbers.map((number) => number.trim());
  return numbers.map((number) => number.trim()).find((number) => BRN_FORMAT.test(number)) ?? first;
}

export function looksLikeNric(value: string): boolean {
  const digits = value.replace(/[-\s]/g, '');
  return NRIC_DIGITS.test(digits) && hasBirthDate(digits) && !BRN_FORMAT.test(digits);
}

/** The authority's id number for a person who gave only a TIN. */
export const NRIC_PLACEHOLDER = '000000000000';

// February of a leap year, because an NRIC does not contain the century.
const DAYS_MAX = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

export function hasBirthDate(nric: string): boolean {
  if (nric === NRIC_PLACEHOLDER) return true;
  const [month, day] = [Number(nric.slice(2, 4)), Number(nric.slice(4, 6))];
  return month >= 1 && month <= 12 && day >= 1 && day <= DAYS_MAX[month - 1];
}
