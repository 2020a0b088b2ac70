import type { DocumentSummary } from '../authority/wire.js';
import { documentTypeNamed } from '../documents/document-types.js';
import { normaliseTin } from '../documents/identity.js';
import type { DocumentType } from '../documents/simplified-document.js';

/** What the authority tells documents apart by, whoever submitted them; no two attempts have all four in common. */
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
  const shownType = documentTypeNamed(shown.typeName);
  const equal = [
    shown.referenceId === document.referenceId,
    shownType === null ? null : shownType === document.documentType,
    shown.supplierTin === null ? null : normaliseTin(shown.supplierTin) === document.supplierTin,
    shown.issuedAt === null ? null : secondsOf(shown.issuedAt) === secondsOf(document.issuedAt),
  ];
  if (equal.includes(false)) return 'different';
  return equal.includes(null) ? 'unclear' : 'same';
}

function secondsOf(date: Date): number {
  return Math.floor(date.getTime() / 1_000);
}

/** Whether what the authority shows under an attempt's uuid can be that attempt: the same number, and no other type. Pure. */
export function isUnderItsNumber(
  member: { readonly referenceId: string; readonly documentType: DocumentType },
  shown: DocumentSummary,
): boolean {
  const shownType = documentTypeNamed(shown.typeName);
  return shown.referenceId === member.referenceId && (shownType === null || shownType === member.documentType);
}
