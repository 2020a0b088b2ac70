import type { AuthorityErrorEntry } from './error-catalogue/authority-error.js';
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
import { findField, type FindingField } from './finding-field.js';
import { buildProfileHint, PROFILE_FIELD_TEXTS } from './profile-fields.js';
import { adviseCode, getCodeMember } from './refused-code.js';
import type { DocumentLocation, SentCode } from './request-pointers.js';

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
