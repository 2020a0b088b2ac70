import { isAtMost } from '../http/validation/text.js';
import { isPrintable } from './invisible.js';

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
