import { isAtMost } from '../http/validation/text.js';
import { isPrintable } from './invisible.js';

/** Registration schemes that identify a taxpayer in addition to the TIN. */
export type IdType = 'BRN' | 'NRIC' | 'PASSPORT' | 'ARMY';
export const ID_TYPES: readonly IdType[] = ['BRN', 'NRIC', 'PASSPORT', 'ARMY'];

/** The authority's text for a missing number. */
export const NOT_APPLICABLE = 'NA';

/** TIN of the general public, for consolidated documents only (docs/rules.md#numbers-and-ids). */
export const GENERAL_PUBLIC_TIN = 'EI00000000010';

/** TIN of government bodies and of others without a TIN. */
export const GOVERNMENT_TIN = 'EI00000000040';

/** TIN of foreigners without a TIN. */
export const FOREIGN_BUYER_TIN = 'EI00000000020';
export const FOREIGN_SUPPLIER_TIN = 'EI00000000030';

/** General TINs of the authority, for which a TIN check needs no authority call (docs/rules.md#tin-check). */
export const GENERAL_TINS: readonly string[] = [
  GENERAL_PUBLIC_TIN,
  FOREIGN_BUYER_TIN,
  FOREIGN_SUPPLIER_TIN,
  GOVERNMENT_TIN,
];

/** TIN format of docs/rules.md#numbers-and-ids. The authority checks more. */
const TIN_SHAPE = /^[A-Z]{1,2}\d{6,12}$/;

// White space, zero-width characters and direction marks, which copied TINs often contain.
const INVISIBLE = /[\s\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\uFEFF]/gu;

const FULL_WIDTH = /[\uFF01-\uFF5E\u3000]/g;
const FULL_WIDTH_SPACE = '\u3000';
const FULL_WIDTH_OFFSET = 0xfee0;

/** Replaces full-width characters with their ASCII forms. */
export function toNarrow(text: string): string {
  return text.replace(FULL_WIDTH, (wide) =>
    wide === FULL_WIDTH_SPACE ? ' ' : String.fromCharCode(wide.charCodeAt(0) - FULL_WIDTH_OFFSET),
  );
}

/** Returns the TIN in upper case without white space and invisible characters (docs/rules.md#numbers-and-ids). */
export function normaliseTin(text: string): string {
  return toNarrow(text.normalize('NFC')).replace(INVISIBLE, '').toUpperCase();
}

/**
 * TIN formats of individuals (`IG`) and of other taxpayers (https://sdk.myinvois.hasil.gov.my/faq/). The simulator has
 * the same pattern; test/authority/taxpayer-tin.spec.ts compares them.
 */
const TAXPAYER_TIN = /^(?:IG\d{1,12}|(?:C|CS|D|F|FA|PT|TA|TC|TN|TR|TP|J|LE)[1-9]\d{0,10}0)$/;

/** Returns whether an organisation can have this TIN. General TINs do not belong to an organisation. */
export function isTaxpayerTin(tin: string): boolean {
  return TAXPAYER_TIN.test(tin);
}

/** One or two SST numbers. */
export const SST_NUMBERS = /^[A-Za-z0-9-]+(?:;[A-Za-z0-9-]+)?$/;

export function isTinShape(tin: string): boolean {
  return TIN_SHAPE.test(tin);
}

/**
 * Replaces full-width characters, trims a BRN, and removes white space and hyphens from other ids. A BRN may contain
 * hyphens, slashes and spaces, as in `PPM-001-10-12345678` (docs/rules.md#numbers-and-ids).
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
 * Returns the header value of a login on behalf of a taxpayer: `TIN:BRN` for a sole proprietor with a BRN, else the TIN
 * (docs/rules.md#represented-taxpayer).
 */
export function formatOnBehalfOf(taxpayer: { tin: string; idType: IdType; idValue: string }): string {
  return isSoleProprietor(taxpayer) ? `${taxpayer.tin}:${taxpayer.idValue}` : taxpayer.tin;
}

/** Returns the header value for a profile, or null if the profile is incomplete. */
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

/** Returns the TIN of a header value. */
export function readRepresentedTin(onBehalfOf: string): string {
  return onBehalfOf.split(':', 1)[0] ?? '';
}
