import { DOCUMENT_TYPE_ROWS } from '../documents/document-types.js';
import type { DocumentType } from '../documents/simplified-document.js';
import type { Problem } from '../errors/problem.js';
import type { StatedDocument } from './stated-document.js';

/** A document of the tenant whose number is like the one at that position of `comparedNumbers`, and another. */
export interface AlikeReference {
  readonly position: number;
  readonly referenceId: string;
}

export const REFERENCE_ID_ALIKE = 'reference_id_alike';
export const PARENT_ALIKE = 'related_invoice_alike';

/** A number that a request states, by the document of the request that states it. */
interface StatedNumber {
  readonly index: number;
  readonly documentType: DocumentType;
  readonly referenceId: string;
}

type Documents = readonly { document: StatedDocument }[];

/**
 * The numbers of a request that are compared with those of the tenant: its documents' own, in order, then the parents'
 * that are named by the authority's uuid. Other parents are found by their number, or refused.
 */
export function comparedNumbers(documents: Documents): StatedNumber[] {
  const own = documents.map(({ document: { documentType, referenceId } }, index) => ({
    index,
    documentType,
    referenceId,
  }));
  const parents = documents.flatMap(({ document: { documentType, relatedInvoice } }, index) => {
    const { parentType } = DOCUMENT_TYPE_ROWS[documentType];
    if (parentType === null || relatedInvoice === null || relatedInvoice.authorityUuid === null) return [];
    return [{ index, documentType: parentType, referenceId: relatedInvoice.referenceId }];
  });
  return [...own, ...parents];
}

/**
 * Warns of numbers that differ from a known one, or from one of the same request, by case, width or composition alone
 * (docs/rules.md#warnings): probably one document, which would be sent twice.
 */
export function warnAboutAlike(documents: Documents, known: readonly AlikeReference[]): Problem[] {
  const knownAt = new Map(known.map(({ position, referenceId }) => [position, referenceId]));
  const firstByFolded = new Map<string, string>();
  const ofDocuments = documents.flatMap(({ document: { documentType, referenceId } }, index) => {
    const key = `${documentType}/${foldReference(referenceId)}`;
    const first = firstByFolded.get(key);
    if (first === undefined) firstByFolded.set(key, referenceId);
    const other = knownAt.get(index) ?? first;
    return other === undefined ? [] : [buildWarning(index, documentType, other)];
  });
  return [...ofDocuments, ...warnOfParents(documents, knownAt)];
}

function warnOfParents(documents: Documents, knownAt: ReadonlyMap<number, string>): Problem[] {
  return comparedNumbers(documents).flatMap(({ index }, position) => {
    const other = knownAt.get(position);
    return position < documents.length || other === undefined ? [] : [buildParentWarning(index, other)];
  });
}

function buildParentWarning(index: number, other: string): Problem {
  return {
    pointer: `/documents/${index}/relatedInvoice/referenceId`,
    rule: PARENT_ALIKE,
    message: `differs from invoice ${other}, which was submitted through this service, by case, width or composition alone`,
    hint: `to refer to that invoice, use ${other} and leave authorityUuid out`,
  };
}

/** As alike_references() folds it, and in all scripts. */
function foldReference(referenceId: string): string {
  return referenceId.normalize('NFKD').toUpperCase();
}

function buildWarning(index: number, documentType: DocumentType, other: string): Problem {
  return {
    pointer: `/documents/${index}/referenceId`,
    rule: REFERENCE_ID_ALIKE,
    message: `differs from ${other}, the number of another ${documentType}, by case, width or composition alone`,
    hint: 'if the two are one document, cancel one of them; otherwise leave both as they are, and let later numbers differ clearly',
  };
}
