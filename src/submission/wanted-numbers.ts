import { DOCUMENT_TYPE_ROWS } from '../documents/document-types.js';
import { BEFORE_E_INVOICING } from '../documents/parent-uuid.js';
import { toSearchKey } from '../documents/search-key.js';
import type { DocumentType } from '../documents/simplified-document.js';
import type { ParsedDocument } from './parsed-document.js';

/** A number to look up, either of a document or of a credit note's parent. */
interface WantedNumber {
  readonly index: number;
  readonly documentType: DocumentType;
  readonly referenceId: string;
  /** Search key for similar numbers. Null for a parent without a uuid, which must match exactly. */
  readonly numberKey: string | null;
}

type Documents = readonly { readonly document: ParsedDocument; readonly numberKey: string }[];

/** Lists the numbers of the documents, followed by those of their parents. */
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

/** The documents to look up by type, number and search key (parallel arrays), and by the authority's uuid. */
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
