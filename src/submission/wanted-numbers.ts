import { DOCUMENT_TYPE_ROWS } from '../documents/document-types.js';
import { BEFORE_E_INVOICING } from '../documents/parent-uuid.js';
import { toSearchKey } from '../documents/search-key.js';
import type { DocumentType } from '../documents/simplified-document.js';
import type { ParsedDocument } from './parsed-document.js';

/** A number that a submit looks up: of one of its documents, or of the parent that a credit note names. */
interface WantedNumber {
  /** The position of its document in the request. */
  readonly index: number;
  readonly documentType: DocumentType;
  readonly referenceId: string;
  /**
   * Finds numbers that differ by case, width or composition alone. Null for a parent that is named by its number only:
   * it is found by that number, or refused.
   */
  readonly numberKey: string | null;
}

type Documents = readonly { readonly document: ParsedDocument; readonly numberKey: string }[];

/** Lists the numbers of the documents, in order, then those of their parents. */
export function listWantedNumbers(documents: Documents): WantedNumber[] {
  const own = documents.map(({ document: { documentType, referenceId }, numberKey }, index) => ({
    index,
    documentType,
    referenceId,
    numberKey,
  }));
  const parents = documents.flatMap(({ document: { documentType, relatedInvoice } }, index) => {
    const { parentType } = DOCUMENT_TYPE_ROWS[documentType];
    if (parentType === null || relatedInvoice === null) return [];
    const { referenceId, authorityUuid } = relatedInvoice;
    const numberKey = authorityUuid === null ? null : toSearchKey(referenceId);
    return [{ index, documentType: parentType, referenceId, numberKey }];
  });
  return [...own, ...parents];
}

/** The documents that a submit looks up: by type, number and search key, in step, and by the authority's uuid. */
export interface WantedDocuments {
  readonly types: readonly string[];
  readonly referenceIds: readonly string[];
  readonly numberKeys: readonly (string | null)[];
  readonly authorityUuids: readonly string[];
}

export function buildWanted(documents: Documents): WantedDocuments {
  const numbers = listWantedNumbers(documents);
  const uuids = documents.flatMap(({ document: { relatedInvoice } }) => relatedInvoice?.authorityUuid ?? []);
  return {
    types: numbers.map(({ documentType }) => documentType),
    referenceIds: numbers.map(({ referenceId }) => referenceId),
    numberKeys: numbers.map(({ numberKey }) => numberKey),
    authorityUuids: [...new Set(uuids)].filter((uuid) => uuid !== BEFORE_E_INVOICING),
  };
}
