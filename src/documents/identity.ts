import { isAtMost } from '../http/validation/text.js';
import { isPrintable } from './invisible.js';

/** Registration schemes that identify a taxpayer in addition to the TIN (authority protocol, parties). */
export type IdType = 'BRN' | 'NRIC' | 'PASSPORT' | 'ARMY';
export const ID_TYPES: readonly IdType[] = ['BRN', 'NRIC', 'PASSPORT', 'ARMY'];

/** The text that the authority accepts instead of a missing number. */
export const NOT_APPLICABLE = 'NA';

/**
 * The authority's TIN for the general public: consolidated documents only (docs/rules.md#numbers-and-ids,
 * docs/rules.md#authority-document).
 */
export const GENERAL_PUBLIC_TIN = 'EI00000000010';

/** The authority's TIN for government bodies and others without a TIN. */
export const GOVERNMENT_TIN = 'EI00000000040';

/** The authority's TIN for foreigners without a TIN, as buyers and as suppliers. */
export const FOREIGN_BUYER_TIN = 'EI00000000020';
export const FOREIGN_SUPPLIER_TIN = 'EI00000000030';

/** The authority's general TINs; a TIN check decides them without a call (docs/rules.md#tin-check). */
export const GENERAL_TINS: readonly string[] = [
  GENERAL_PUBLIC_TIN,
  FOREIGN_BUYER_TIN,
  FOREIGN_SUPPLIER_TIN,
  GOVERNMENT_TIN,
];

/**
 * One or two letters and 6 to 12 digits, at most 14 characters in all (docs/rules.md#numbers-and-ids); the authority
 * decides the finer shape.
 */
const TIN_SHAPE = /^[A-Z]{1,2}\d{6,12}$/;

// White space, zero-width and direction marks, which travel along when a TIN is pasted from a document.
const INVISIBLE = /[\s\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\uFEFF]/gu;

const FULL_WIDTH = /[\uFF01-\uFF5E\u3000]/g;
const FULL_WIDTH_SPACE = '\u3000';
const FULL_WIDTH_OFFSET = 0xfee0;

/** Replaces full-width letters and digits with their ASCII forms. */
export function toNarrow(text: string): string {
  return text.replace(FULL_WIDTH, (wide) =>
    wide === FULL_WIDTH_SPACE ? ' ' : String.fromCharCode(wide.charCodeAt(0) - FULL_WIDTH_OFFSET),
  );
}

/**
 * The TIN as the authority writes it: upper case, without full-width forms, white space and invisible characters
 * (docs/rules.md#numbers-and-ids).
 */
export function normaliseTin(text: string): string {
  return toNarrow(text.normalize('NFC')).replace(INVISIBLE, '').toUpperCase();
}

/**
 * The TIN format of individuals (`IG`) and of all other taxpayers, from the FAQ of the authority's SDK
 * (https://sdk.myinvois.hasil.gov.my/faq/). Equal to the simulator's; test/authority/taxpayer-tin.spec.ts compares them.
 */
const TAXPAYER_TIN = /^(?:IG\d{1,12}|(?:C|CS|D|F|FA|PT|TA|TC|TN|TR|TP|J|LE)[1-9]\d{0,10}0)$/;

/** Returns whether an organisation can have this TIN; a general TIN belongs to none (docs/rules.md#numbers-and-ids). */
export function isTaxpayerTin(tin: string): boolean {
  return TAXPAYER_TIN.test(tin);
}

/** One registration for sales and service tax, or two. */
export const SST_NUMBERS = /^[A-Za-z0-9-]+(?:;[A-Za-z0-9-]+)?$/;

export function isTinShape(tin: string): boolean {
  return TIN_SHAPE.test(tin);
}

/**
 * Makes full-width characters narrow. Removes the white space around a BRN, and all white space and hyphens of any other id number. Registrars other than
 * SSM use hyphens, slashes and spaces in their numbers, such as `PPM-001-10-12345678` (docs/rules.md#numbers-and-ids).
 */
export function normaliseIdValue(idType: IdType, text: string): string {
  if (idType === 'BRN') return toNarrow(text).trim();
  return toNarrow(text.normalize('NFC')).replace(INVISIBLE, '').replaceAll('-', '');
}

const BRN_CHARACTERS_MAX = 20;

export function isBrn(text: string): boolean {
  return text !== '' && isAtMost(text, BRN_CHARACTERS_MAX) && isPrintable(text);
}

/**
 * The header value of a login on behalf (docs/rules.md#represented-taxpayer): a sole proprietor known by a business
 * number is `TIN:BRN`.
 */
export function formatOnBehalfOf(taxpayer: { tin: string; idType: IdType; idValue: string }): string {
  return isSoleProprietor(taxpayer) ? `${taxpayer.tin}:${taxpayer.idValue}` : taxpayer.tin;
}

/** The header value for the taxpayer of a profile; null while the profile is incomplete. */
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

/** The TIN in what `formatOnBehalfOf` made. */
export function readRepresentedTin(onBehalfOf: string): string {
  return onBehalfOf.split(':', 1)[0] ?? '';
}
