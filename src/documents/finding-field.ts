import { parsePaths } from './authority-path.js';
import { type AuthorityErrorEntry, SUPPLIER_PROFILE } from './error-catalogue/authority-error.js';
import { findPointer, isSupplierSide, locate, type Located } from './error-pointer.js';
import { isProfileField, type ProfileField } from './profile-fields.js';
import { readRefusedCode } from './refused-code.js';
import { type DocumentLocation, PROFILE_POINTERS, type SentCode } from './request-pointers.js';

export interface FindingField {
  /** Relative to the caller's document; null if the request does not contain the field. */
  readonly pointer: string | null;
  readonly isOfProfile: boolean;
  readonly profileField: ProfileField | null;
  readonly codes: readonly SentCode[];
}

/** If the path names no field or several fields, uses the rejected code in the message. */
export function findField(
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
