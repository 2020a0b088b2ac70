import { type AuthorityErrorEntry, SUPPLIER_PROFILE } from './error-catalogue/authority-error.js';
import {
  CODE_LIST_ERRORS,
  CURRENCY_ERRORS,
  DUPLICATE_ERRORS,
  REFERENCE_ERRORS,
  TAXPAYER_ERRORS,
} from './error-catalogue/background.js';
import { ACCESS_ERRORS, CANCELLATION_ERRORS, STRUCTURE_ERRORS } from './error-catalogue/calls.js';
import { CORE_FIELD_ERRORS } from './error-catalogue/core-fields.js';
import { SIGNATURE_ERRORS } from './error-catalogue/signature.js';
import { buildProfileHint, PROFILE_FIELD_TEXTS, isProfileField, type ProfileField } from './profile-fields.js';
import { adviseCode, getCodeMember, readRefusedCode } from './refused-code.js';
import { type DocumentLocation, type SentCode, PROFILE_POINTERS } from './request-pointers.js';
import { parsePaths, findPointer, isSupplierSide, locate, type Located } from './error-pointer.js';

export interface DocumentError {
  readonly code: string;
  readonly message: string;
  /** JSON Pointer into the submitted body, or null if the request does not contain the field. */
  readonly pointer: string | null;
  readonly hint: string | null;
  readonly authorityCode: string | null;
  readonly authorityMessage: string | null;
}

export interface Finding {
  readonly code: string | null;
  readonly message: string;
  readonly path: string | null;
  readonly step?: string | null;
  /** Number of omitted findings that this entry replaces. */
  readonly leftOut?: number;
}

export const AUTHORITY_ERRORS: readonly { readonly found: string; readonly entries: readonly AuthorityErrorEntry[] }[] =
  [
    { found: 'Core fields', entries: CORE_FIELD_ERRORS },
    { found: 'Duplicates', entries: DUPLICATE_ERRORS },
    { found: 'Code lists', entries: CODE_LIST_ERRORS },
    { found: 'Taxpayers', entries: TAXPAYER_ERRORS },
    { found: 'Referenced documents', entries: REFERENCE_ERRORS },
    { found: 'Currencies', entries: CURRENCY_ERRORS },
    { found: 'Signature', entries: SIGNATURE_ERRORS },
    { found: 'Structure and submission', entries: STRUCTURE_ERRORS },
    { found: 'Permission and limits', entries: ACCESS_ERRORS },
    { found: 'Cancellation', entries: CANCELLATION_ERRORS },
  ];

const entriesByCode = new Map<string | null, AuthorityErrorEntry[]>();
for (const entry of AUTHORITY_ERRORS.flatMap(({ entries }) => entries)) {
  entriesByCode.set(entry.authorityCode, [...(entriesByCode.get(entry.authorityCode) ?? []), entry]);
}

const FINDINGS_MAX = 200;

/**
 * Explains findings (docs/rules.md#status-response). After 200 errors, the last entry states the number of the others.
 * @param location null for a cancellation, whose request does not contain the document
 */
export function explainFindings(findings: readonly Finding[], location: DocumentLocation | null): DocumentError[] {
  const listed = findings.filter(({ leftOut }) => leftOut === undefined).slice(0, FINDINGS_MAX);
  const count = findings.reduce((sum, { leftOut = 1 }) => sum + leftOut, 0);
  const errors = listed.map((finding) => explain(finding, location));
  return count === listed.length ? errors : [...errors, buildNotListed(count - listed.length)];
}

function buildNotListed(count: number): DocumentError {
  return {
    code: 'errors_not_listed',
    message: `The tax authority found ${count} more errors, which are not listed here`,
    pointer: null,
    hint: 'Correct the listed errors and submit the document again. The authority then lists the remaining errors.',
    authorityCode: null,
    authorityMessage: null,
  };
}

export function findEntry(finding: Finding): AuthorityErrorEntry | null {
  const words = `${finding.step ?? ''}\n${finding.path ?? ''}\n${finding.message}`;
  return entriesByCode.get(finding.code)?.find(({ when }) => when === undefined || when.test(words)) ?? null;
}

function explain(finding: Finding, location: DocumentLocation | null): DocumentError {
  const entry = findEntry(finding);
  const own = entry ?? buildUnlistedEntry(finding);
  const field = findField(finding, entry, location);
  const isInRequest = location !== null && field.pointer !== null;
  return {
    code: own.code,
    message: own.meaning,
    pointer: isInRequest ? `/documents/${location.position}${field.pointer}` : null,
    hint: field.isOfProfile
      ? buildProfileHint(field.profileField)
      : (buildCodeHint(entry, field, location) ?? own.action),
    authorityCode: finding.code,
    authorityMessage: finding.message,
  };
}

const CODE_NOT_IN_LIST = 'code_not_in_list';
const LINES_LISTED_MAX = 10;
const NO_CODE = { value: '', profileField: null };

/** The text may name a code that the document does not contain. The code of the field is then the refused one. */
function buildCodeHint(
  entry: AuthorityErrorEntry | null,
  { pointer, codes }: FindingField,
  location: DocumentLocation | null,
): string | null {
  const member = getCodeMember(pointer ?? '');
  if (entry?.code !== CODE_NOT_IN_LIST || member === null) return null;
  const sent = location?.codes.find((code) => code.pointer === pointer);
  const { value, profileField: field } = codes.at(0) ?? sent ?? NO_CODE;
  const advice = adviseCode(member, value);
  const others = codes.length > 1 ? ` ${listLines(codes)} have the same code.` : '';
  if (field === null) return advice + others;
  const origin = `The line has no ${member}, so the default of the organisation's profile was sent.`;
  return `${origin} ${advice} Or change "${PROFILE_FIELD_TEXTS[field].label}" in the profile.${others}`;
}

function listLines(codes: readonly SentCode[]): string {
  const numbers = codes.map(({ pointer }) => Number(/^\/lineItems\/(\d+)/.exec(pointer ?? '')?.[1]) + 1);
  const listed = numbers.slice(0, LINES_LISTED_MAX).map(String);
  const last = numbers.length > LINES_LISTED_MAX ? `${numbers.length - LINES_LISTED_MAX} more` : listed.pop();
  return `Lines ${listed.join(', ')} and ${last}`;
}

function buildUnlistedEntry({ code, message }: Finding): Pick<AuthorityErrorEntry, 'code' | 'meaning' | 'action'> {
  return { code: toUnknownCode(code), meaning: message, action: hintForFamily(code) };
}

function toUnknownCode(code: string | null): string {
  const words = code?.toLowerCase().match(/[a-z0-9]+/g);
  return words ? `authority_${words.join('_')}` : 'authority_refused';
}

const FAMILY_HINTS: readonly (readonly [family: RegExp, hint: string])[] = [
  [/^CF\d/, "Correct the missing or malformed field in the authority's message, and submit again."],
  [/^CV\d/, "Correct the code in the authority's message, and submit again."],
  [/^ERR\d/, "Correct the TIN or id, which does not match the authority's register, and submit again."],
  [/^DR\d/, "Correct the reference to the parent as the authority's message describes, and submit again."],
  [/^D[CS]\d/, 'Contact the operator of this service and quote documentId and this error.'],
];
const HINT_FOR_ANYTHING =
  "Correct the problem that the authority's message describes and submit again, or contact the operator of this service and quote documentId.";

function hintForFamily(code: string | null): string {
  return FAMILY_HINTS.find(([family]) => family.test(code ?? ''))?.[1] ?? HINT_FOR_ANYTHING;
}

interface FindingField {
  /** Relative to the caller's document; null if the request does not contain the field. */
  readonly pointer: string | null;
  readonly isOfProfile: boolean;
  readonly profileField: ProfileField | null;
  readonly codes: readonly SentCode[];
}

/** If the path names no field or several fields, uses the rejected code in the message. */
function findField(
  finding: Located,
  entry: AuthorityErrorEntry | null,
  location: DocumentLocation | null,
): FindingField {
  const fieldPath = entry?.fieldPath ?? null;
  const pointer = location === null ? null : findPointer(finding, fieldPath, location.pointers);
  const refused = findRefused(finding.message, location?.codes ?? []);
  if (isSupplierSide(finding) || (pointer === null && fieldPath === SUPPLIER_PROFILE)) {
    return buildProfileField(findProfileField(finding, entry, refused));
  }
  return pointer === null ? buildRequestField(pointer) : findCode(finding, pointer, refused);
}

/** Finds the field with the rejected code at or below a pointer. Treats the same field of several lines as one. */
function findCode(finding: Located, pointer: string, refused: readonly SentCode[]): FindingField {
  const ofSupplier = parsePaths(finding).length === 0 ? refused.filter((code) => code.pointer === null) : [];
  const within = refused.filter((code) => code.pointer === pointer || code.pointer?.startsWith(`${pointer}/`));
  if (within.length === 0 && ofSupplier.length === 1) return buildProfileField(ofSupplier[0].profileField);
  const isOneField = new Set([...within, ...ofSupplier].map(toFieldPath)).size === 1;
  return isOneField ? buildRequestField(within.at(0)?.pointer ?? pointer, within) : buildRequestField(pointer);
}

function buildRequestField(pointer: string | null, codes: readonly SentCode[] = []): FindingField {
  return { pointer, isOfProfile: false, profileField: null, codes };
}

function buildProfileField(profileField: ProfileField | null): FindingField {
  return { pointer: null, isOfProfile: true, profileField, codes: [] };
}

function toFieldPath({ pointer }: SentCode): string | null {
  return pointer === null ? null : pointer.replace(/\d+/, '*');
}

/** Searches the path, the catalogue and the refused code, in this order. */
function findProfileField(
  finding: Located,
  entry: AuthorityErrorEntry | null,
  codes: readonly SentCode[],
): ProfileField | null {
  const { pointer, isExact } = locate(finding, PROFILE_POINTERS);
  const located = pointer.slice(1);
  if (isExact && isProfileField(located)) return located;
  const listed = entry?.profileField ?? toProfileField(entry?.fieldPath ?? '');
  return listed ?? codes.find((code) => code.pointer === null)?.profileField ?? null;
}

function toProfileField(fieldPath: string): ProfileField | null {
  if (!fieldPath.startsWith('/recipient/')) return null;
  const member = fieldPath.slice('/recipient/'.length);
  const field = { state: 'stateCode', '{id}': 'idValue' }[member] ?? member;
  return isProfileField(field) ? field : null;
}

function findRefused(message: string, codes: readonly SentCode[]): SentCode[] {
  const refused = readRefusedCode(message);
  if (refused === null) return [];
  return codes.filter(
    ({ value, member }) => value === refused.value && (refused.member === null || refused.member === member),
  );
}
