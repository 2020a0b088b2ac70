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
    shown.issuedAt === null ? null : toSeconds(shown.issuedAt) === toSeconds(document.issuedAt),
  ];
  if (equal.includes(false)) return 'different';
  return equal.includes(null) ? 'unclear' : 'same';
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
