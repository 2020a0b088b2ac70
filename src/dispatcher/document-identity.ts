import type { DocumentSummary } from '../authority/wire.js';
import { findDocumentType } from '../documents/document-types.js';
import { normaliseTin } from '../documents/identity.js';
import type { DocumentType } from '../documents/simplified-document.js';

/**
 * What the authority tells documents apart by, regardless of who submitted them; no two attempts have all four in
 * common.
 */
export interface DocumentIdentity {
  readonly documentType: DocumentType;
  readonly referenceId: string;
  readonly supplierTin: string;
  /** Whole seconds. */
  readonly issuedAt: Date;
}

/**
 * Whether what the authority shows is this document: `unclear` when nothing differs, and not everything can be read.
 * Pure.
 */
export function compareIdentity(document: DocumentIdentity, shown: DocumentSummary): 'same' | 'different' | 'unclear' {
  const shownType = findDocumentType(shown.typeName);
  const equal = [
    shown.referenceId === document.referenceId,
    shownType === null ? null : shownType === document.documentType,
    shown.supplierTin === null ? null : normaliseTin(shown.supplierTin) === document.supplierTin,
    isSameInstant(document.issuedAt, shown.issuedAt),
  ];
  if (equal.includes(false)) return 'different';
  return equal.includes(null) ? 'unclear' : 'same';
}

/** Returns null if the shown time may be cut to its minute. */
function isSameInstant(own: Date, shown: Date | null): boolean | null {
  if (shown === null) return null;
  if (toSeconds(own) === toSeconds(shown)) return true;
  const isCut = toSeconds(shown) % 60 === 0 && toSeconds(own) - (toSeconds(own) % 60) === toSeconds(shown);
  return isCut ? null : false;
}

/**
 * Whether a document that the authority shows under the uuid of its response is the one that was sent: number, type and
 * supplier are equal, and the issue time, if it can be read, is not another one. Pure.
 */
export function confirmsClaim(document: DocumentIdentity, shown: DocumentSummary): boolean {
  if (compareIdentity(document, shown) === 'different') return false;
  return compareIdentity(document, { ...shown, issuedAt: document.issuedAt }) === 'same';
}

function toSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1_000);
}

/**
 * Whether what the authority shows under an attempt's uuid is that attempt: the same number, and the same type where it
 * names one. A name that is not known is not ours yet: nothing is written, and the next poll asks again. Pure.
 */
export function isUnderItsNumber(
  member: { readonly referenceId: string; readonly documentType: DocumentType },
  shown: DocumentSummary,
): boolean {
  if (shown.referenceId !== member.referenceId) return false;
  return shown.typeName === null || findDocumentType(shown.typeName) === member.documentType;
}
