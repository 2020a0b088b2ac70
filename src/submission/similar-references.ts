import { foldText } from '../documents/search-key.js';
import type { DocumentType } from '../documents/simplified-document.js';
import type { Problem } from '../errors/problem.js';
import type { ParsedDocument } from './parsed-document.js';
import { listWantedNumbers } from './wanted-numbers.js';

/** A stored number with the same search key as the number at `position` of `listWantedNumbers`. */
export interface StoredReference {
  readonly position: number;
  readonly referenceId: string;
}

export const SIMILAR_REFERENCE = 'reference_id_alike';
export const SIMILAR_PARENT = 'related_invoice_alike';

type Documents = readonly { readonly document: ParsedDocument; readonly numberKey: string }[];

/**
 * Warns about numbers that differ only by case, width or composition, and probably identify the same document
 * (docs/rules.md#warnings).
 */
export function warnOfSimilar(documents: Documents, stored: readonly StoredReference[]): Problem[] {
  const wanted = listWantedNumbers(documents);
  const storedAt = new Map<number, string>();
  for (const { position, referenceId } of stored) {
    if (!storedAt.has(position) && foldText(referenceId) === foldText(wanted[position].referenceId)) {
      storedAt.set(position, referenceId);
    }
  }
  const firstByFolded = new Map<string, string>();
  return wanted.flatMap(({ index, documentType, referenceId }, position) => {
    const storedReference = storedAt.get(position);
    if (position >= documents.length) {
      return storedReference === undefined ? [] : [buildParentWarning(index, storedReference)];
    }
    const key = `${documentType}/${foldText(referenceId)}`;
    const first = firstByFolded.get(key);
    if (first === undefined) firstByFolded.set(key, referenceId);
    const other = storedReference ?? first;
    return other === undefined ? [] : [buildWarning(index, documentType, other)];
  });
}

function buildParentWarning(index: number, other: string): Problem {
  return {
    pointer: `/documents/${index}/relatedInvoice/referenceId`,
    rule: SIMILAR_PARENT,
    message: `differs from invoice ${other}, which was submitted through this service, only by case, width or composition`,
    hint: `to refer to that invoice, use ${other} and leave authorityUuid out`,
  };
}

function buildWarning(index: number, documentType: DocumentType, other: string): Problem {
  return {
    pointer: `/documents/${index}/referenceId`,
    rule: SIMILAR_REFERENCE,
    message: `differs from ${other}, the number of another ${documentType}, only by case, width or composition`,
    hint: 'if both are the same document, cancel one of them; otherwise keep both, and choose numbers that differ clearly in future',
  };
}
